// Two runs on the same samples: which sample is which, which cluster is which, and who moved.

/** For each sample of `a` its place in `b` (-1: not there), by id where both have ids, else by position; or why not. */
function pairSamples(a, b) {
  if (a.ids && b.ids) {
    const places = new Map(b.ids.map((id, s) => [id, s]));
    if (places.size === b.n && new Set(a.ids).size === a.n) {
      const pairs = Int32Array.from(a.ids, (id) => places.get(id) ?? -1);
      const common = pairs.reduce((count, s) => count + (s >= 0), 0);
      return common ? { pairs, common } : { why: "The two runs have no sample id in common." };
    }
  }
  if (a.n !== b.n)
    return { why: "The runs have different numbers of samples and no unique ids, so their samples cannot be paired." };
  return { pairs: Int32Array.from({ length: a.n }, (_, s) => s), common: a.n };
}

/** How many samples are in cluster i of `a` and cluster j of `b`. */
function contingency(a, b, pairs) {
  const counts = Array.from({ length: a.k }, () => new Array(b.k).fill(0));
  for (let s = 0; s < a.n; s++) if (pairs[s] >= 0) counts[a.cluster[s]][b.cluster[pairs[s]]]++;
  return counts;
}

/** Matches rows to columns so that the matched counts add up to the most (the Hungarian method, shortest augmenting
 *  paths with potentials). Gives the column of each row, -1 where there are too few columns. */
function matchLargest(counts) {
  const rows = counts.length;
  const size = Math.max(rows, counts[0].length);
  const cost = (i, j) => -(counts[i]?.[j] ?? 0);
  const rowPrice = new Float64Array(size + 1);
  const columnPrice = new Float64Array(size + 1);
  const rowOf = new Int32Array(size + 1); // row of each column, counted from 1; 0: free
  for (let row = 1; row <= size; row++) {
    rowOf[0] = row;
    let column = 0;
    const least = new Float64Array(size + 1).fill(Infinity);
    const seen = new Uint8Array(size + 1);
    const before = new Int32Array(size + 1);
    do {
      seen[column] = 1;
      const here = rowOf[column];
      let step = Infinity;
      let next = 0;
      for (let j = 1; j <= size; j++) {
        if (seen[j]) continue;
        const slack = cost(here - 1, j - 1) - rowPrice[here] - columnPrice[j];
        if (slack < least[j]) [least[j], before[j]] = [slack, column];
        if (least[j] < step) [step, next] = [least[j], j];
      }
      for (let j = 0; j <= size; j++) {
        if (seen[j]) {
          rowPrice[rowOf[j]] += step;
          columnPrice[j] -= step;
        } else least[j] -= step;
      }
      column = next;
    } while (rowOf[column] !== 0);
    while (column) {
      rowOf[column] = rowOf[before[column]];
      column = before[column];
    }
  }
  const matched = new Int32Array(rows).fill(-1);
  for (let j = 1; j <= counts[0].length; j++) if (rowOf[j] <= rows) matched[rowOf[j] - 1] = j - 1;
  return matched;
}

/** The adjusted Rand index of a contingency table. */
function adjustedRand(counts) {
  const pairs = (count) => (count * (count - 1)) / 2;
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const rows = counts.map(sum);
  const columns = counts[0].map((_, j) => sum(counts.map((row) => row[j])));
  const total = pairs(sum(rows));
  const [inRows, inColumns, both] = [sum(rows.map(pairs)), sum(columns.map(pairs)), sum(counts.flat().map(pairs))];
  const chance = total ? (inRows * inColumns) / total : 0;
  const most = (inRows + inColumns) / 2;
  return most === chance ? 1 : (both - chance) / (most - chance);
}

/** The step from one run to the next; `colour` names each cluster of `b` after the cluster of the first run it continues. */
function compareRuns(a, b) {
  const { pairs, common, why } = pairSamples(a, b);
  if (!pairs) return { a, b, why };
  const counts = contingency(a, b, pairs);
  const matched = matchLargest(counts);
  let moved = 0;
  for (let s = 0; s < a.n; s++) if (pairs[s] >= 0 && matched[a.cluster[s]] !== b.cluster[pairs[s]]) moved++;
  return { a, b, pairs, common, counts, matched, moved, rand: adjustedRand(counts) };
}
