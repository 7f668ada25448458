// What was run, and the verdict in words.

const STATES = {
  separate: "✓ Verdict: separate clusters",
  touching: "◐ Verdict: clusters that touch",
  pieces: "≈ Verdict: pieces of something continuous",
  unstable: "⚠ Verdict: unstable",
  untested: "? Verdict: untested",
};
const QUESTIONS = {
  stability: "Do they come back?",
  borders: "What lies between them?",
  agreement: "Do the views agree?",
};

function verdictCard(run) {
  const { verdict } = run.document;
  return make(
    "div",
    { class: "verdict", "data-state": verdict.state, role: "group", "aria-label": "Verdict" },
    make("p", { class: "state" }, STATES[verdict.state]),
    make("p", { class: "words" }, verdict.headline),
    make(
      "dl",
      { class: "parts" },
      verdict.parts.map(({ question, sentence }) =>
        make("div", {}, make("dt", {}, QUESTIONS[question]), make("dd", {}, prose(sentence))),
      ),
    ),
    make(
      "ul",
      {},
      verdict.sentences.map((sentence) => make("li", {}, prose(sentence))),
    ),
  );
}

function ending({ reason, iterations }) {
  return [reason === "direct" ? "direct (no iteration)" : reason, iterations ? plural(iterations, "iteration") : null];
}

/** What was done to the views on purpose. */
function corruptionWords({ fraction, mode, seed }) {
  const what = { replace: "of the entries replaced", add: "of the entries with noise added", lose: "of the samples lost" };
  return `on purpose: ${percent(fraction)} ${what[mode] ?? mode}, seed ${seed} (--corrupt)`;
}

/** Where the run came from: files, day, command, machine. */
function originPart({ origin, version }) {
  if (!origin) return nothing("Where the data came from was not recorded: the run was not made by the program.");
  const files = (origin.files ?? []).map(({ path, bytes, sha256 }) => [
    named(path),
    bytes === null ? UNKNOWN : `${integer(bytes)} bytes`,
    make("code", {}, sha256 ?? "a pipe, which is gone"),
  ]);
  return [
    make(
      "dl",
      { class: "origin" },
      [
        ["Made", `${origin.date.replace("T", " ").replace("Z", " UTC")}, by consilience ${version}`],
        ["On", origin.machine],
        ["Repeat", origin.command ? make("code", {}, origin.command) : UNKNOWN],
        ["In", origin.directory ? make("code", {}, origin.directory) : UNKNOWN],
      ].map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
    ),
    files.length
      ? table("Files that were read", ["File", "Size", "SHA-256"], files)
      : nothing("The data are those inside the program."),
  ];
}

/** What a reader wants to know of a run at a glance: [name, value, remark]. */
function runFacts(run) {
  const about = run.run;
  const { seconds } = about;
  const [end, steps] = ending(about.termination);
  const parts = ["load", "prepare", "graph", "solve", "assign"];
  return [
    ["Samples", integer(run.n), null],
    ["Views", integer(run.views.length), null],
    ["Clusters", integer(run.k), null],
    ["Method", about.method, null],
    ["Seed", plain(about.seed), null],
    ["Scaling", plain(about.scale), null],
    ["Ended", end, steps],
    [
      "Time",
      duration(seconds.total),
      parts.map((part) => `${part}\u00a0${duration(seconds[part])}`).join(", "),
    ],
    ["Memory at most", Number.isFinite(about.peak_rss_mb) ? `${number(about.peak_rss_mb)} MB` : UNKNOWN, null],
    ["Silhouette", score(run.document.silhouette), "of the embedding, −1 to 1"],
    ...(about.corruption ? [["Noise added", percent(about.corruption.fraction), corruptionWords(about.corruption)]] : []),
  ];
}

function header(run, tabs) {
  const about = run.run;
  const parameters = Object.entries(about.parameters).map(([name, value]) => [named(name), named(plain(value))]);
  return make(
    "header",
    { id: "head" },
    make(
      "div",
      { class: "headline" },
      make(
        "div",
        {},
        make("p", { class: "eyebrow" }, `consilience ${about.version} · report of a run`),
        make("h1", {}, named(run.name)),
        make(
          "p",
          { class: "subtitle" },
          `${plural(run.n, "sample")}, ${plural(run.views.length, "view")}, ${plural(run.k, "cluster")} by `,
          named(about.method_title),
        ),
      ),
      theme.button(),
    ),
    tabs,
    verdictCard(run),
    make(
      "dl",
      { class: "facts" },
      runFacts(run).map(([name, value, remark]) =>
        make("div", {}, make("dt", {}, name), make("dd", {}, value, remark && make("small", {}, remark))),
      ),
    ),
    details("Where it comes from: files, command, machine", originPart(about)),
    details(
      `${plural(parameters.length, "parameter")}, and what to cite`,
      parameters.length
        ? table("Parameters of the method", ["Parameter", "Value"], parameters)
        : make("p", {}, "The method has no parameters."),
      make("p", { class: "small muted" }, "Cite: ", named(about.citation)),
    ),
  );
}

function warningsPanel(run) {
  const warnings = run.run.warnings.map(({ message }) => message);
  return panel(
    "warnings",
    "Warnings",
    null,
    warnings.length
      ? make(
          "ul",
          { class: "warnings" },
          warnings.map((warning) => make("li", {}, make("bdi", {}, prose(warning)))),
        )
      : nothing(
          run.document.verdict.state === "separate"
            ? "There were no warnings."
            : "The run itself had no warnings. What speaks against its clusters stands in the verdict.",
        ),
  );
}
