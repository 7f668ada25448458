// Several runs side by side: settings, scores, where samples went, and which moved.

/** A few digits that differ when ids differ or stand in another order. */
function idsDigest(ids) {
  let hash = 0x811c9dc5;
  for (const id of ids) for (let i = 0; i <= id.length; i++) hash = Math.imul(hash ^ (id.charCodeAt(i) || 10), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** Whether two runs read the very same files. */
function sameFiles(a, b) {
  const contents = ({ run }) => run.origin?.files?.map((file) => file.sha256);
  const [first, second] = [contents(a), contents(b)];
  return Boolean(first?.length && first.every(Boolean) && String(first) === String(second));
}

/** What is wrong with comparing these runs: other samples, or other data under the same names. */
function sampleWarnings(runs, steps) {
  const warnings = steps
    .map((step) => {
      const names = `“${step.a.name}” and “${step.b.name}”`;
      if (step.why) return `${names}: ${step.why}`;
      if (step.common < step.a.n || step.common < step.b.n)
        return `${names} have ${plural(step.common, "sample")} in common, of ${integer(step.a.n)} and ${integer(step.b.n)}: only these are compared.`;
      if (!step.a.ids || !step.b.ids) {
        const classes = (run) => (run.class ? Array.from(run.class, (_, s) => run.classOf(s)).join("\n") : null);
        if (classes(step.a) && classes(step.b) && classes(step.a) !== classes(step.b))
          return `${names} have no ids and other classes: these are not the same samples, and nothing below that pairs them means anything.`;
        if (sameFiles(step.a, step.b)) return null;
        return `${names} have no ids: samples are paired by their order, which is right only if the files have the same rows.`;
      }
      return null;
    })
    .filter(Boolean);
  return warnings.length
    ? panel(
        "samples-differ",
        "Are these the same samples?",
        null,
        make(
          "ul",
          { class: "warnings" },
          warnings.map((warning) => make("li", {}, make("bdi", {}, warning))),
        ),
      )
    : null;
}

/** How far all pairs of runs agree, not only those beside each other. */
function pairwisePanel(runs) {
  if (runs.length < 3) return null;
  const names = runs.map((run) => run.name);
  const found = runs.map((a, i) => runs.map((b, j) => (i === j ? { rand: 1 } : compareRuns(a, b))));
  return panel(
    "pairwise",
    "Agreement of the runs",
    "The adjusted Rand index between all pairs of runs, over the samples that both have: 0 is what chance gives, 1 the same clusters.",
    matrix("Adjusted Rand index of all pairs of runs", names, names, (a, b) => ({
      value: found[a][b].rand,
      text: score(found[a][b].rand ?? NaN),
    })),
  );
}

/** Rows [name, value per run] for everything that was set. */
function settingsRows(runs) {
  const rows = [
    ["method", runs.map((run) => run.run.method)],
    ["samples", runs.map((run) => integer(run.n))],
    ["clusters", runs.map((run) => integer(run.k))],
    ["seed", runs.map((run) => plain(run.run.seed))],
    ["scaling", runs.map((run) => plain(run.run.scale))],
    ["views", runs.map((run) => run.views.map((view) => `${view.name} (${view.d})`).join(", "))],
    ["noise added", runs.map((run) => (run.run.corruption ? corruptionWords(run.run.corruption) : "none"))],
    ["files", runs.map((run) => run.run.origin?.files?.map((file) => file.path).join(", ") ?? UNKNOWN)],
    ["content of the files", runs.map((run) => run.run.origin?.files?.map((file) => file.sha256?.slice(0, 12) ?? "pipe").join(", ") ?? UNKNOWN)],
    ["samples' ids", runs.map((run) => (run.ids ? idsDigest(run.ids) : "none"))],
    ["machine", runs.map((run) => run.run.origin?.machine ?? UNKNOWN)],
    ["made", runs.map((run) => run.run.origin?.date ?? UNKNOWN)],
    ["version", runs.map((run) => plain(run.run.version))],
  ];
  rows.push(["number of clusters", runs.map((run) => (run.document.choice ? "chosen by the data" : "given"))]);
  for (const of of ["other_settings", "parameters"]) {
    const names = new Set(runs.flatMap((run) => Object.keys(run.run[of] ?? {})));
    for (const name of names) rows.push([name, runs.map((run) => plain(run.run[of]?.[name]))]);
  }
  return rows;
}

function settingsPanel(runs) {
  const rows = settingsRows(runs);
  const differ = rows.filter(([, values]) => values.some((value) => value !== values[0]));
  const same = rows.filter(([, values]) => values.every((value) => value === values[0]));
  const heads = ["Setting", ...runs.map((run) => run.name)];
  const cells = (list) => list.map(([name, values]) => [named(name), ...values.map((value) => named(value))]);
  return panel(
    "settings",
    "Settings",
    differ.length
      ? `${plural(differ.length, "setting")} ${differ.length === 1 ? "differs" : "differ"}.`
      : "The runs have the same settings.",
    differ.length
      ? table("Settings that differ", heads, cells(differ))
      : nothing("All settings are the same; what differs below comes from the data."),
    details(
      `${plural(same.length, "setting")} that ${same.length === 1 ? "is" : "are"} the same`,
      table("Settings that are the same", heads, cells(same)),
    ),
  );
}

function meanShare(column) {
  return column.reduce((sum, value) => sum + value, 0) / column.length / 255;
}

function measuresPanel(runs) {
  const scores = new Set(runs.flatMap((run) => Object.keys(run.truth?.scores ?? {})));
  const rows = [
    ["Verdict", (run) => run.document.verdict.state],
    ...[...scores].map((name) => [scoreTitle(name), (run) => score(run.truth?.scores[name])]),
    ["Silhouette", (run) => score(run.document.silhouette)],
    ["Samples in clusters that are apart", (run) => percent(run.document.structure?.apart ?? NaN)],
    ["Mean confidence", (run) => score(meanShare(run.confidence))],
    ["Stability", (run) => score(run.document.stability?.mean)],
    ["Agreement of views before", (run) => score(meanAgreement(run.document.agreement.before))],
    [
      "Agreement of views after",
      (run) => score(run.document.agreement.after && meanAgreement(run.document.agreement.after)),
    ],
    ["Ended", (run) => ending(run.run.termination).filter(Boolean).join(", ")],
    ["Time", (run) => duration(run.run.seconds.total)],
    ["Memory at most", (run) => (Number.isFinite(run.run.peak_rss_mb) ? `${number(run.run.peak_rss_mb)} MB` : UNKNOWN)],
  ];
  return panel(
    "measures",
    "Scores and quality",
    scores.size
      ? "Scores against the classes, and what can be said without them."
      : prose("No run knows the true classes (`--truth FILE`), so only measures that need none are shown."),
    table(
      "Scores and quality of the runs",
      ["", ...runs.map((run) => run.name)],
      rows.map(([title, value]) => [title, ...runs.map(value)]),
    ),
  );
}

function stepText(step) {
  if (step.why) return step.why;
  return `${plural(step.moved, "sample")} of ${integer(step.common)} (${percent(step.moved / step.common)}) moved; the adjusted Rand index between the two is ${score(step.rand)}.`;
}

function flowPanel(runs, steps) {
  const matrices = steps
    .filter((step) => step.counts)
    .map((step) => {
      const sizes = step.counts.map((row) => row.reduce((a, b) => a + b, 0));
      return make(
        "div",
        {},
        make("h3", {}, named(step.a.name), " → ", named(step.b.name)),
        matrix(
          `Clusters of ${step.a.name} as rows, of ${step.b.name} as columns`,
          step.counts.map((_, c) => `cluster ${c}`),
          step.counts[0].map((_, c) => `${c}`),
          (from, to) => {
            const count = step.counts[from][to];
            return {
              value: count / (sizes[from] || 1),
              text: count ? integer(count) : "",
              marked: step.matched[from] === to,
            };
          },
        ),
      );
    });
  return panel(
    "flow",
    "Where the samples went",
    "Clusters are matched so that as many samples as possible stay; matched clusters share a colour.",
    make(
      "ul",
      {},
      steps.map((step) => make("li", {}, named(step.a.name), " → ", named(step.b.name), ": ", stepText(step))),
    ),
    steps.some((step) => step.counts) ? flowChart(runs, steps) : null,
    matrices.length ? details("The same as matrices", make("div", { class: "columns" }, matrices)) : null,
  );
}

/** For each sample of the first run its cluster in every run (-1: not there), and the samples that moved at some step. */
function journeys(runs, steps) {
  const [first] = runs;
  const clusters = [first.cluster];
  const moved = new Uint8Array(first.n);
  let at = Int32Array.from({ length: first.n }, (_, s) => s);
  steps.forEach((step, r) => {
    const next = at.map((s) => (s >= 0 && step.pairs ? step.pairs[s] : -1));
    clusters.push(next.map((s) => (s >= 0 ? step.b.cluster[s] : -1)));
    next.forEach((to, s) => {
      if (to >= 0 && step.matched[clusters[r][s]] !== step.b.cluster[to]) moved[s] = 1;
    });
    at = next;
  });
  return { clusters, moved };
}

function movedPanel(runs, steps) {
  const [first] = runs;
  const { clusters, moved } = journeys(runs, steps);
  const rows = Uint32Array.from([...moved.keys()].filter((s) => moved[s]));
  if (rows.length === 0)
    return panel(
      "moved",
      "Samples that moved",
      null,
      nothing(
        steps.every((step) => step.why)
          ? steps[0].why
          : "No sample moved: the runs are the same up to the names of the clusters.",
      ),
    );
  // a cluster is called by the number of the one that it continues in the first run, where there is one
  const origins = [Array.from({ length: first.k }, (_, c) => c)];
  steps.forEach((step, r) => {
    const back = new Array(runs[r + 1].k).fill(null);
    step.matched?.forEach((to, from) => {
      if (to >= 0) back[to] = origins[r][from];
    });
    origins.push(back);
  });
  const continued = (r, c) => (origins[r][c] === null ? `${c} (new)` : r === 0 || origins[r][c] === c ? String(c) : `${origins[r][c]} (there ${c})`);
  const columns = [
    idColumn(first),
    ...runs.map((run, r) => ({
      name: `cluster in ${run.name}`,
      title: run.name,
      numeric: true,
      keys: () => clusters[r],
      plain: (s) => (clusters[r][s] < 0 ? "" : clusters[r][s]),
      cell: (s, td) => td.append(clusters[r][s] < 0 ? "not there" : continued(r, clusters[r][s])),
    })),
  ];
  if (first.class) columns.push(classColumn(first));
  columns.push(shareColumn("doubt", "Doubt", first.doubt));
  const list = new LongTable("Samples that moved", columns, first.n, () => {});
  const count = make("span", { class: "count" });
  const search = make("input", {
    type: "search",
    id: "search",
    placeholder: "Search in ids and classes",
    "aria-label": "Search moved samples by id or class",
  });
  const finds = searchTexts(first);
  const refresh = () => {
    const wanted = search.value.trim().toLowerCase();
    list.show(rows.filter((s) => wanted === "" || finds(s, wanted)));
    count.textContent = plural(list.rows.length, "sample");
  };
  search.addEventListener("input", () => {
    refresh();
    announce(count.textContent);
  });
  refresh();
  const save = () =>
    download(
      "moved_samples",
      csv(
        columns.map((column) => column.name),
        Array.from(list.rows, (s) => columns.map((column) => column.plain(s))),
        true,
      ),
    );
  return panel(
    "moved",
    "Samples that moved",
    "Samples whose cluster is not the one that continues their old cluster, at some step. Clusters of later runs carry the number of the one they continue in the first. Class and doubt are those of the first run.",
    make(
      "div",
      { class: "tools" },
      search,
      count,
      make("button", { type: "button", id: "export", on: { click: save } }, "Export these rows as CSV"),
    ),
    list.root,
  );
}

function comparison(runs, tabs) {
  const steps = runs.slice(1).map((run, r) => compareRuns(runs[r], run));
  return [
    make(
      "header",
      { id: "head" },
      make(
        "div",
        { class: "headline" },
        make(
          "div",
          {},
          make("p", { class: "eyebrow" }, `consilience ${runs[0].run.version} · comparison of runs`),
          make("h1", {}, `${runs.length} runs side by side`),
          make(
            "p",
            { class: "subtitle" },
            runs.map((run, r) => [r ? ", " : "", named(run.name)]),
          ),
        ),
        theme.button(),
      ),
      tabs,
    ),
    sampleWarnings(runs, steps),
    measuresPanel(runs),
    pairwisePanel(runs),
    flowPanel(runs, steps),
    movedPanel(runs, steps),
    settingsPanel(runs),
  ];
}
