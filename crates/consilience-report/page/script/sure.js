// How sure: the distribution of the confidence, and how stable the clusters are over resampled runs.

const BINS = 20;
const binOf = (value) => Math.min(BINS - 1, Math.floor((value / 256) * BINS));

function histogram(run, selection) {
  const { confidence } = run;
  const counts = new Uint32Array(BINS);
  for (const value of confidence) counts[binOf(value)]++;
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
    const act = () => selection.choose(`confidence ${range(b)}`, (s) => binOf(confidence[s]) === b);
    const bin = draw(
      "g",
      {
        class: "bin",
        role: "button",
        "aria-label": `Confidence ${range(b)}: ${plural(count, "sample")}; select them`,
        on: {
          click: act,
          keydown: (event) => {
            if (event.key === "Enter" || event.key === " ") {
              event.preventDefault();
              act();
            }
          },
          pointermove: (event) =>
            tooltip.show(event.clientX, event.clientY, `Confidence ${range(b)}`, [["samples", integer(count)]]),
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
      confidence.forEach((value, s) => {
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
    draw("text", { x: (EDGE.left + WIDTH - EDGE.right) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, "confidence"),
    ticks(0, highest, 5)
      .filter(Number.isInteger)
      .map((count) =>
        draw("text", { x: EDGE.left - 8, y: floor - tall(count) + 4, "text-anchor": "end" }, integer(count)),
      ),
  ];
  const chart = draw(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": "Histogram of the confidence" },
    axis,
    bins.map(({ bin }) => bin),
  );
  return make("figure", { css: { margin: "0" } }, make("h3", {}, "Confidence of the samples"), roving(chart, ".bin"));
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
        "Stability was not measured: it needs runs on random parts of the samples. See `consilience report --help` for how to make them.",
      ),
    );
  }
  const order = run.clusters
    .map((cluster, c) => [cluster.stability ?? NaN, c])
    .filter(([value]) => Number.isFinite(value))
    .sort((a, b) => a[0] - b[0]);
  const shown = order.slice(0, 12);
  const intro = `${plural(stability.runs, "run")} on ${percent(stability.share_of_samples)} of the samples agree with this one at ${share(stability.mean)} in the mean. A cluster found again in every run has 1; below about 0.6 it is doubtful.`;
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
      ? ` After the ${run.k}th they fall by ${number(values[run.k - 1] - values[run.k])}; a clear drop there speaks for ${plural(run.k, "cluster")}.`
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

function surePanel(run, selection) {
  let low = 0;
  let sum = 0;
  for (const value of run.confidence) {
    sum += value;
    if (value < 128) low++;
  }
  const lead = `The mean confidence is ${share(sum / 255 / run.n)}. ${low === 0 ? "No sample" : low === 1 ? "1 sample" : `${integer(low)} samples`} (${percent(low / run.n)}) ${low > 1 ? "are" : "is"} below one half.`;
  const button = make(
    "button",
    {
      type: "button",
      id: "select-doubtful",
      disabled: low === 0,
      on: { click: () => selection.choose("confidence below one half", (s) => run.confidence[s] < 128) },
    },
    "Select the samples below one half",
  );
  return panel(
    "sure",
    "How sure",
    lead,
    make("div", { class: "tools" }, button),
    make(
      "div",
      { class: "columns" },
      make("div", { class: "stack" }, histogram(run, selection), eigenvaluesPart(run)),
      stabilityPart(run),
    ),
  );
}
