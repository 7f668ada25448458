// How sure: the distribution of the doubt, silhouettes, and how stable the clusters are in refits.

const BINS = 20;
const binOf = (value) => Math.min(BINS - 1, Math.floor((value / 256) * BINS));

function histogram(run, selection) {
  const { doubt } = run;
  const counts = new Uint32Array(BINS);
  for (const value of doubt) counts[binOf(value)]++;
  const highest = counts.reduce((a, b) => Math.max(a, b), 1);
  const width = (WIDTH - EDGE.left - EDGE.right) / BINS;
  const floor = HEIGHT - EDGE.bottom;
  const tall = (count) => (count / highest) * (floor - EDGE.top);
  const bar = (kind, b, count) =>
    draw("rect", {
      class: kind,
      x: EDGE.left + b * width + 1,
      width: width - 2,
      y: floor - tall(count),
      height: tall(count),
      rx: 1.5,
    });
  const range = (b) => `${share(b / BINS)} to ${share((b + 1) / BINS)}`;
  const bins = [...counts].map((count, b) => {
    const whole = bar("column", b, count);
    const chosen = bar("column", b, 0);
    const act = () => selection.choose(`doubt ${range(b)}`, (s) => binOf(doubt[s]) === b);
    const bin = draw(
      "g",
      {
        class: "bin",
        role: "button",
        "aria-label": `Doubt ${range(b)}: ${plural(count, "sample")}; select them`,
        on: {
          click: act,
          keydown: (event) => {
            if (event.key === "Enter" || event.key === " ") {
              event.preventDefault();
              act();
            }
          },
          pointermove: (event) =>
            tooltip.show(event.clientX, event.clientY, `Doubt ${range(b)}`, [["samples", integer(count)]]),
          pointerleave: () => tooltip.hide(),
        },
      },
      draw("rect", { x: EDGE.left + b * width, width, y: EDGE.top, height: floor - EDGE.top, rx: 3 }),
      whole,
      chosen,
    );
    return { bin, whole, chosen };
  });
  selection.follow(() => {
    const held = new Uint32Array(BINS);
    if (selection.mask)
      doubt.forEach((value, s) => {
        held[binOf(value)] += selection.mask[s];
      });
    bins.forEach(({ whole, chosen }, b) => {
      whole.classList.toggle("rest", selection.mask !== null);
      fill(chosen, { y: floor - tall(held[b]), height: tall(held[b]) }, []);
    });
  });
  const axis = [
    draw("line", { class: "axis", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: floor, y2: floor }),
    [0, 0.25, 0.5, 0.75, 1].map((value) =>
      draw("text", { x: EDGE.left + value * BINS * width, y: floor + 18, "text-anchor": "middle" }, value),
    ),
    draw("text", { x: (EDGE.left + WIDTH - EDGE.right) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, "doubt"),
    ticks(0, highest, 5)
      .filter(Number.isInteger)
      .map((count) =>
        draw("text", { x: EDGE.left - 8, y: floor - tall(count) + 4, "text-anchor": "end" }, integer(count)),
      ),
  ];
  const chart = draw(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": "Histogram of the doubt" },
    axis,
    bins.map(({ bin }) => bin),
  );
  return make("figure", { css: { margin: "0" } }, make("h3", {}, "Doubt of the samples"), roving(chart, ".bin"));
}

/** Stability of the clusters, least stable first. */
function stabilityPart(run) {
  const heading = make("h3", {}, "Stability of the clusters");
  const { stability } = run.document;
  if (!stability) {
    return make(
      "div",
      {},
      heading,
      nothing(
        "Stability was not measured: there are too few samples for the clusters, or runs on parts of them were not asked for (`consilience report --help`).",
      ),
    );
  }
  const order = run.clusters
    .map((cluster, c) => [cluster.stability ?? NaN, c])
    .filter(([value]) => Number.isFinite(value))
    .sort((a, b) => a[0] - b[0]);
  const shown = order.slice(0, 12);
  const intro = `Clustered again ${plural(stability.runs, "time")} on ${percent(stability.share_of_samples)} of the samples: a sample comes into its cluster at ${share(stability.mean)} in the mean. A cluster found again every time has 1; below 0.6 it is fragile.`;
  return make(
    "div",
    {},
    heading,
    make("p", { class: "small muted" }, intro),
    shown.map(([value, c]) => meterRow([marker(c, run.k), run.clusterName(c)], value, share(value))),
    order.length > shown.length
      ? make(
          "p",
          { class: "small muted" },
          `The ${shown.length} least stable of ${order.length} clusters; the list of clusters above has all.`,
        )
      : null,
  );
}

/** The affinity's eigenvalues: a drop after the k-th speaks for k clusters. */
function eigenvaluesPart(run) {
  const values = run.run.eigenvalues;
  if (values.length < 2) return null;
  const gap =
    values.length > run.k
      ? ` From number ${run.k} to the next they fall by ${number(values[run.k - 1] - values[run.k])}; a clear drop there speaks for ${plural(run.k, "cluster")}.`
      : "";
  return make(
    "div",
    {},
    lineChart(
      "Eigenvalues of the consensus",
      [{ name: "eigenvalue", points: values.map((y, i) => ({ x: i + 1, y })) }],
      "number",
    ),
    make("p", { class: "small muted" }, `The largest ${values.length} eigenvalues.${gap}`),
  );
}

/** Silhouettes of the samples, sorted within their clusters: a cluster of samples that fit is a block, others have a tail. */
function silhouettePart(run) {
  if (run.k < 2) return null;
  const members = Array.from({ length: run.k }, () => []);
  for (let s = 0; s < run.n; s++) members[run.cluster[s]].push(run.silhouette[s]);
  const [left, right, floor] = [EDGE.left, WIDTH - EDGE.right, HEIGHT - EDGE.bottom];
  const x = (place) => left + (place / run.n) * (right - left);
  const y = (value) => floor - (value / 255) * (floor - EDGE.top);
  let start = 0;
  const shapes = members.map((values, c) => {
    values.sort((a, b) => b - a);
    // as many corners as can be seen
    const step = Math.max(1, Math.floor(values.length / 60));
    const corners = values.map((value, i) => [x(start + i + 0.5), y(value)]).filter((_, i) => i % step === 0 || i === values.length - 1);
    const path = [[x(start), y(127.5)], ...corners, [x(start + values.length), y(127.5)]];
    start += values.length;
    return draw("path", { d: path.map(([a, b], i) => `${i ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join(""), "data-cluster": c });
  });
  theme.follow(() => shapes.forEach((shape, c) => shape.setAttribute("fill", groupColour(c, run.k, theme.shade))));
  const axis = [-1, 0, 1].map((value) => [
    draw("line", { class: "grid", x1: left, x2: right, y1: y(127.5 * (value + 1)), y2: y(127.5 * (value + 1)) }),
    draw("text", { x: left - 8, y: y(127.5 * (value + 1)) + 4, "text-anchor": "end" }, String(value)),
  ]);
  return make(
    "figure",
    { css: { margin: "0" } },
    make("h3", {}, "Silhouettes of the samples, by cluster"),
    draw(
      "svg",
      { class: "chart silhouettes", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Silhouette of every sample, sorted within its cluster" },
      axis,
      shapes,
      draw("text", { x: (left + right) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, "samples by cluster"),
    ),
  );
}

/** Samples at or above this doubt (of 255) are called doubtful. */
const DOUBTFUL = 77;
/** Fewer than this share of refits (of 255) is called unstable. */
const UNSTABLE = 153;

function surePanel(run, selection) {
  const count = (column, test) => (column ? column.reduce((sum, value) => sum + test(value), 0) : 0);
  const doubtful = count(run.doubt, (value) => value >= DOUBTFUL);
  const unstable = count(run.stability, (value) => value < UNSTABLE);
  const lead = `${doubtful === 0 ? "No sample is" : doubtful === 1 ? "1 sample is" : `${integer(doubtful)} samples are`} doubtful (${percent(doubtful / run.n)}): doubt is the mean of what speaks against a sample's cluster (its memberships in others, and refits that put it elsewhere), and 0.3 or more is much.`;
  const button = (id, title, label, disabled, chosen) =>
    make("button", { type: "button", id, disabled, on: { click: () => selection.choose(label, chosen) } }, title);
  return panel(
    "sure",
    "How sure",
    lead,
    make(
      "div",
      { class: "tools" },
      button("select-doubtful", "Select the doubtful", "doubt of 0.3 or more", doubtful === 0, (s) => run.doubt[s] >= DOUBTFUL),
      run.stability
        ? button("select-unstable", "Select the unstable", "stability below 0.6", unstable === 0, (s) => run.stability[s] < UNSTABLE)
        : null,
    ),
    make(
      "div",
      { class: "columns" },
      make("div", { class: "stack" }, histogram(run, selection), silhouettePart(run)),
      make("div", { class: "stack" }, stabilityPart(run), eigenvaluesPart(run)),
    ),
  );
}
