//! What the page and the pictures rely on to draw: a document that contradicts itself is refused, whoever made it.

use crate::document::{
    AffinityPicture, AgreementSummary, Document, MarkerPicture, MetadataColumn, MetadataValues, RunSummary,
    SampleColumns, TruthSummary,
};
use crate::packed::Packed;

impl Document {
    /// Says what is wrong.
    pub(crate) fn check(&self) -> Result<(), String> {
        let RunSummary { n, k, .. } = self.run;
        let (clusters, views) = (self.clusters.len(), self.views.len());
        if n == 0 || clusters != k || views == 0 {
            return Err(format!("n = {n}, k = {k}, but {clusters} clusters and {views} views are described"));
        }
        let members: usize = self.clusters.iter().map(|cluster| cluster.size).sum();
        if members != n {
            return Err(format!("the clusters hold {members} samples, the run has {n}"));
        }
        if let Some(other) = self.clusters.iter().flat_map(|cluster| &cluster.touches).find(|&&other| other >= k) {
            return Err(format!("`clusters` touch cluster {other}, but there are {k}"));
        }
        self.samples.check(n, k)?;
        self.heat.check("heat", k)?;
        let AgreementSummary { before, after } = &self.agreement;
        let square = |table: &Vec<Vec<f64>>| table.len() == views && table.iter().all(|row| row.len() == views);
        let square_after =
            |table: &Vec<Vec<Option<f64>>>| table.len() == views && table.iter().all(|row| row.len() == views);
        if !square(before) || !after.as_ref().is_none_or(square_after) {
            return Err(format!("`agreement` does not compare {views} views"));
        }
        if let Some(presence) = &self.presence {
            let listed: usize = presence.groups.iter().map(|group| group.samples).sum();
            let named = presence.groups.iter().flat_map(|group| &group.views).all(|&view| view < views);
            if presence.known.len() != views || !named || listed.checked_add(presence.others) != Some(n) {
                return Err(format!("`presence` does not describe {n} samples and {views} views"));
            }
        }
        self.check_markers(k)?;
        self.check_metadata(n, k)?;
        if self.samples.truth.is_some() != self.truth.is_some() {
            return Err("`truth` and `samples.truth` must both be there or both be null".to_owned());
        }
        let corrupted = self.views.iter().flat_map(|view| &view.corruption).flat_map(|found| &found.samples);
        if let Some(sample) = corrupted.map(|sample| sample.index).find(|&index| index >= n) {
            return Err(format!("`views` name sample {sample}, but there are {n}"));
        }
        if let Some(TruthSummary { classes, confusion, matched, .. }) = &self.truth {
            let classes = classes.len();
            if matched.len() != k || confusion.len() != k || confusion.iter().any(|row| row.len() != classes) {
                return Err(format!("`truth` does not describe {k} clusters and {classes} classes"));
            }
            if let Some(heat) = &self.heat_by_class {
                heat.check("heat_by_class", classes)?;
            }
        }
        Ok(())
    }

    fn check_markers(&self, k: usize) -> Result<(), String> {
        if let Some(marker) = self.markers.iter().find(|marker| marker.cluster >= k) {
            return Err(format!("`markers` name cluster {}, but there are {k}", marker.cluster));
        }
        let Some(MarkerPicture { markers, means }) = &self.marker_picture else { return Ok(()) };
        let known = markers.iter().all(|&marker| marker < self.markers.len());
        if !known || means.len() != k || means.iter().any(|row| row.len() != markers.len()) {
            return Err(format!("`marker_picture` does not show {} markers of {k} clusters", markers.len()));
        }
        Ok(())
    }

    fn check_metadata(&self, n: usize, k: usize) -> Result<(), String> {
        for MetadataColumn { name, values, .. } in &self.metadata {
            let fits = match values {
                MetadataValues::Groups { names, codes, counts } => {
                    let named = |&code: &u16| code == u16::MAX || usize::from(code) < names.len();
                    let wide = |row: &Vec<usize>| row.len() == names.len();
                    codes.0.len() == n && codes.0.iter().all(named) && counts.len() == k && counts.iter().all(wide)
                }
                MetadataValues::Numbers { codes, means, .. } => codes.0.len() == n && means.len() == k,
            };
            if !fits {
                return Err(format!("`metadata` column `{name}` does not describe {n} samples and {k} clusters"));
            }
        }
        Ok(())
    }
}

impl SampleColumns {
    fn check(&self, n: usize, k: usize) -> Result<(), String> {
        let wide = |column: &Packed<u16>| column.0.len();
        let share = |column: &Packed<u8>| column.0.len();
        let lengths = [
            ("ids", self.ids.as_ref().map(Vec::len)),
            ("cluster", Some(wide(&self.cluster))),
            ("x", Some(wide(&self.x))),
            ("y", Some(wide(&self.y))),
            ("truth", self.truth.as_ref().map(wide)),
            ("confidence", Some(share(&self.confidence))),
            ("doubt", Some(share(&self.doubt))),
            ("silhouette", Some(share(&self.silhouette))),
            ("disagreement", self.disagreement.as_ref().map(share)),
            ("stability", self.stability.as_ref().map(share)),
            ("corruption", self.corruption.as_ref().map(share)),
        ];
        for (name, length) in lengths {
            if let Some(length) = length.filter(|&length| length != n) {
                return Err(format!("`samples.{name}` has {length} entries for {n} samples"));
            }
        }
        match self.cluster.0.iter().find(|&&cluster| usize::from(cluster) >= k) {
            Some(cluster) => Err(format!("`samples.cluster` names cluster {cluster}, but there are {k}")),
            None => Ok(()),
        }
    }
}

impl AffinityPicture {
    fn check(&self, name: &str, groups: usize) -> Result<(), String> {
        let Self { size, values, bounds, .. } = self;
        if size.checked_mul(*size) != Some(values.0.len()) {
            return Err(format!("`{name}.values` has {} entries for {size} x {size} blocks", values.0.len()));
        }
        let rising = bounds.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = bounds.first() == Some(&0) && bounds.last() == Some(size);
        if bounds.len() != groups + 1 || !rising || !ends {
            return Err(format!("`{name}.bounds` does not cut {size} blocks into {groups} groups"));
        }
        Ok(())
    }
}
