// A document as the panels read it: packed numbers unpacked, names of samples, clusters and classes in one place.

function unpack(packed) {
  if (!packed) return null;
  const letters = atob(packed.data);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  // the page is little-endian wherever it runs; a typed array over the bytes reads them as they were written
  return packed.type === "u8" ? bytes : new Uint16Array(bytes.buffer);
}

class Run {
  constructor(contents) {
    this.document = contents;
    this.run = contents.run;
    this.n = contents.run.n;
    this.k = contents.run.k;
    this.name = contents.name || contents.run.method;
    this.views = contents.views;
    this.clusters = contents.clusters;
    this.truth = contents.truth;
    const { samples } = contents;
    this.ids = samples.ids;
    this.cluster = unpack(samples.cluster);
    this.confidence = unpack(samples.confidence);
    this.doubt = unpack(samples.doubt);
    this.silhouette = unpack(samples.silhouette);
    this.metadata = contents.metadata.map((column) => ({ ...column, codes: unpack(column.values.codes) }));
    this.names = new Map(); // what the reader calls clusters
    this.disagreement = unpack(samples.disagreement);
    this.stability = unpack(samples.stability);
    this.corruption = unpack(samples.corruption);
    this.class = unpack(samples.truth);
    this.x = unpack(samples.x);
    this.y = unpack(samples.y);
  }

  /** Samples without names are counted from 1, as labels.csv does. */
  id(sample) {
    return this.ids ? this.ids[sample] : String(sample + 1);
  }

  clusterName(cluster) {
    return this.names.get(cluster) || `Cluster ${cluster}`;
  }

  className(value) {
    return this.truth?.classes[value] ?? "not known";
  }

  classOf(sample) {
    return this.className(this.class[sample]);
  }

  /** What is known of a sample, for tooltips. */
  facts(sample) {
    const facts = [["cluster", String(this.cluster[sample])]];
    if (this.class) facts.push(["class", named(this.classOf(sample))]);
    const shares = [
      ["doubt", this.doubt],
      ["confidence", this.confidence],
      ["views that disagree", this.disagreement],
      ["stability", this.stability],
      ["corrupted", this.corruption],
    ];
    for (const [name, column] of shares) if (column) facts.push([name, share(column[sample] / 255)]);
    for (const column of this.metadata) facts.push([named(column.name), named(metadataText(column, column.codes[sample]))]);
    return facts;
  }

  /** The block of the heat map that holds each sample: those of a group in the order of the file, cut evenly. */
  blocks(heat, group) {
    const groups = heat.bounds.length - 1;
    const sizes = new Uint32Array(groups);
    for (let s = 0; s < this.n; s++) if (group[s] < groups) sizes[group[s]]++;
    const seen = new Uint32Array(groups);
    const blocks = new Int32Array(this.n).fill(-1);
    for (let s = 0; s < this.n; s++) {
      const g = group[s];
      if (g >= groups) continue;
      const width = heat.bounds[g + 1] - heat.bounds[g];
      if (width > 0) blocks[s] = heat.bounds[g] + Math.floor((seen[g] * width) / sizes[g]);
      seen[g]++;
    }
    return blocks;
  }
}
