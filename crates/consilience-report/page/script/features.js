// Marker features: what sets each cluster apart, as a picture and as a table to sort and export.

/** Chances that are too small for a number are said as such. */
const chanceText = (p) => (p < 1e-300 ? "<1e-300" : number(p));

function markerPicture(run) {
  const picture = run.document.marker_picture;
  if (!picture) return null;
  const { markers } = run.document;
  const names = picture.markers.map((place) => `${markers[place].view}: ${markers[place].feature}`);
  // features as rows, because their names are long; colours from two standard deviations below the mean to two above
  return matrix(
    "Mean of the clearest markers by cluster, in standard deviations from the mean of all samples",
    names,
    picture.means.map((_, c) => String(run.names.get(c) ?? c)),
    (feature, c) => ({
      value: (picture.means[c][feature] + 2) / 4,
      text: run.k > 30 ? "" : picture.means[c][feature].toFixed(1),
    }),
  );
}

function markerTable(run, selection) {
  const { markers } = run.document;
  const text = (name, title, of) => {
    const texts = once(() => ranks(markers.map(of)));
    return { name, title, keys: texts, plain: (m) => of(markers[m]), cell: (m, td) => td.append(named(of(markers[m]))) };
  };
  const value = (name, title, say) => ({
    name,
    title,
    numeric: true,
    keys: () => markers.map((marker) => marker[name]),
    plain: (m) => markers[m][name],
    cell: (m, td) => td.append(say(markers[m][name])),
  });
  const columns = [
    {
      name: "cluster",
      title: "Cluster",
      numeric: true,
      keys: () => markers.map((m) => m.cluster),
      plain: (m) => markers[m].cluster,
      cell: (m, td) => td.append(marker(markers[m].cluster, run.k), run.names.get(markers[m].cluster) ?? String(markers[m].cluster)),
    },
    text("view", "View", (m) => m.view),
    text("feature", "Feature", (m) => m.feature),
    value("auc", "AUC", score),
    value("inside", "Mean inside", number),
    value("outside", "Mean outside", number),
    value("p", "Adjusted p", chanceText),
  ];
  const list = new LongTable("Marker features", columns, markers.length, (m) =>
    selection.toggle("cluster", markers[m].cluster, false),
  );
  const save = () =>
    download(
      `${run.name}_markers`,
      csv(
        columns.map((column) => column.name),
        Array.from(list.rows, (m) => columns.map((column) => column.plain(m))),
        true,
      ),
    );
  return [
    make(
      "div",
      { class: "tools" },
      make("button", { type: "button", id: "export-markers", on: { click: save } }, "Export the markers as CSV"),
    ),
    list.root,
  ];
}

function markersPanel(run, selection) {
  const { markers } = run.document;
  const title = "What sets the clusters apart";
  if (markers.length === 0)
    return panel("markers", title, null, nothing("No feature differs between a cluster and the rest more than chance would have it."));
  return panel(
    "markers",
    title,
    "Features whose values inside a cluster differ from those outside, by ranks. AUC is the chance that a sample inside has the larger value: 1 all are larger, 0 all are smaller, 0.5 no difference. The clusters were made from these same features, so the p-values rank them and prove nothing.",
    markerPicture(run),
    markerTable(run, selection),
  );
}
