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

// Where the samples of each cluster go from run to run: columns of clusters joined by ribbons (a Sankey diagram).

const FLOW = { gap: 5, bar: 12, height: 460, top: 26, step: 300, side: 66 };

/** Colours of clusters: those of the first run, handed on along the matching; new ones take the next free colour. */
function inheritColours(steps) {
  const colours = [Array.from({ length: steps[0].a.k }, (_, c) => c)];
  let next = steps[0].a.k;
  for (const step of steps) {
    const own = new Array(step.b.k).fill(-1);
    step.matched?.forEach((to, from) => {
      if (to >= 0) own[to] = colours.at(-1)[from];
    });
    colours.push(own.map((colour) => (colour >= 0 ? colour : next++)));
  }
  return { colours, count: next };
}

/** Heights of the clusters of a run, in the order of their colours so that ribbons cross little. */
function column(run, colours, scale) {
  const order = [...run.clusters.keys()].sort((a, b) => colours[a] - colours[b]);
  const places = [];
  let y = FLOW.top;
  for (const c of order) {
    const height = run.clusters[c].size * scale;
    places[c] = { y, height, out: y, into: y };
    y += height + FLOW.gap;
  }
  return places;
}

function ribbon(x0, y0, x1, y1, height) {
  const middle = (x0 + x1) / 2;
  return `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}v${height}C${middle} ${y1 + height} ${middle} ${y0 + height} ${x0} ${y0 + height}z`;
}

function flowChart(runs, steps) {
  const { colours, count } = inheritColours(steps);
  const largest = Math.max(...runs.map((run) => run.n));
  const crowd = Math.max(...runs.map((run) => run.k));
  const height = FLOW.top + Math.max(FLOW.height, crowd * 14) + 10;
  const scale = (height - FLOW.top - 10 - crowd * FLOW.gap) / largest;
  const places = runs.map((run, r) => column(run, colours[r], scale));
  const x = (r) => FLOW.side + r * FLOW.step;
  const painted = [];
  const paint = (node, colour) => {
    painted.push([node, colour]);
    return node;
  };
  const ribbons = steps.flatMap((step, r) => {
    if (!step.counts) return [];
    const order = [...places[r].keys()].sort((a, b) => places[r][a].y - places[r][b].y);
    const targets = [...places[r + 1].keys()].sort((a, b) => places[r + 1][a].y - places[r + 1][b].y);
    return order.flatMap((from) =>
      targets
        .filter((to) => step.counts[from][to] > 0)
        .map((to) => {
          const size = step.counts[from][to];
          const tall = size * scale;
          const [start, end] = [places[r][from], places[r + 1][to]];
          const path = draw(
            "path",
            {
              class: step.matched[from] === to ? "ribbon stays" : "ribbon",
              d: ribbon(x(r) + FLOW.bar, start.out, x(r + 1), end.into, Math.max(tall, 0.4)),
            },
            draw(
              "title",
              {},
              `${plural(size, "sample")}: cluster ${from} of ${step.a.name}, cluster ${to} of ${step.b.name}`,
            ),
          );
          start.out += tall;
          end.into += tall;
          return paint(path, colours[r][from]);
        }),
    );
  });
  const bars = runs.flatMap((run, r) =>
    run.clusters.flatMap((cluster, c) => {
      const { y, height: tall } = places[r][c];
      const last = r === runs.length - 1;
      const label =
        tall < 9 && crowd > 20
          ? null
          : draw(
              "text",
              { x: last ? x(r) + FLOW.bar + 6 : x(r) - 6, y: y + tall / 2 + 4, "text-anchor": last ? "start" : "end" },
              `${c}`,
            );
      return [
        paint(
          draw(
            "rect",
            { x: x(r), y, width: FLOW.bar, height: Math.max(tall, 1), rx: 2 },
            draw("title", {}, `Cluster ${c} of ${run.name}: ${plural(cluster.size, "sample")}`),
          ),
          colours[r][c],
        ),
        label,
      ];
    }),
  );
  const titles = runs.map((run, r) =>
    draw(
      "text",
      {
        class: "strong",
        x: x(r) + (r === 0 ? 0 : r === runs.length - 1 ? FLOW.bar : FLOW.bar / 2),
        y: 14,
        "text-anchor": r === 0 ? "start" : r === runs.length - 1 ? "end" : "middle",
      },
      run.name.length > 28 ? `${run.name.slice(0, 27)}…` : run.name,
    ),
  );
  theme.follow(() =>
    painted.forEach(([node, colour]) => node.setAttribute("fill", groupColour(colour, count, theme.shade))),
  );
  const width = 2 * FLOW.side + (runs.length - 1) * FLOW.step + FLOW.bar;
  const said = steps
    .map((step) =>
      step.why
        ? step.why
        : `from ${step.a.name} to ${step.b.name} ${plural(step.moved, "sample")} of ${integer(step.common)} moved`,
    )
    .join("; ");
  const chart = wide(
    "Flow of the samples",
    draw(
      "svg",
      {
        class: "chart",
        viewBox: `0 0 ${width} ${height}`,
        role: "img",
        "aria-label": `Flow of samples between runs: ${said}.`,
        css: { "min-width": `${Math.min(width, runs.length * 170)}px`, "max-width": `${Math.max(width, 720)}px` },
      },
      ribbons,
      bars,
      titles,
    ),
  );
  chart.classList.add("flow");
  return chart;
}
