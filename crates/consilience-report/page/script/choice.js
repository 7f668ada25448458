// How many clusters: what spoke for which number, beside clouds without clusters. Only for runs that chose it.

/** Lines over the numbers of clusters; a curve that was not measured is left out. */
function curvesOf(points, names) {
  return names
    .map(([name, field]) => ({
      name,
      points: points
        .filter((point) => Number.isFinite(point[field]))
        .map((point) => ({ x: point.k, y: point[field] })),
    }))
    .filter((line) => line.points.length > 0);
}

function candidatesPart(choice) {
  return make(
    "ol",
    {},
    choice.candidates.map((candidate) =>
      make("li", {}, make("b", {}, plural(candidate.k, "cluster")), ": ", candidate.evidence.join(" ")),
    ),
  );
}

function choicePanel(run) {
  const { choice } = run.document;
  if (!choice) return null;
  const asked = choice.asked === "auto" ? "" : ` from ${choice.asked}`;
  const sampled = choice.samples < run.n ? `, by ${integer(choice.samples)} of the samples` : "";
  const { kind, message } = choice.answer ?? { kind: "clusters" };
  const told = message ? `: ${message}` : "";
  const lead = `The number of clusters was chosen${asked}${sampled}${told}. Every curve stands beside that of clouds without clusters, which have as many samples and the same covariances.`;
  if (choice.curves.length === 0) return panel("choice", "How many clusters", lead);
  const heading = kind === "no_structure" ? "What would have been the candidates" : "Candidates, the best first";
  const charts = [
    lineChart(
      "Stability: halves of the samples agree",
      curvesOf(choice.curves, [
        ["the samples", "stability"],
        ["without clusters", "null_stability"],
        ["the views with all", "agreement"],
      ]),
      "clusters",
    ),
    lineChart(
      "Eigenvalues: 1 is a free cut",
      curvesOf(choice.curves, [
        ["the samples", "eigenvalue"],
        ["without clusters", "null_eigenvalue"],
      ]),
      "clusters",
    ),
    lineChart("Score of the ranking", curvesOf(choice.curves, [["score", "score"]]), "clusters"),
  ];
  const rows = choice.curves.map((point) => [
    integer(point.k),
    ...["stability", "null_stability", "agreement", "eigenvalue", "null_eigenvalue", "gap", "score"].map((field) =>
      number(point[field] ?? NaN),
    ),
  ]);
  const columns = ["Clusters", "Halves", "Halves, null", "Views", "Eigenvalue", "Eigenvalue, null", "Drop", "Score"];
  return panel(
    "choice",
    "How many clusters",
    lead,
    make("h3", {}, heading),
    candidatesPart(choice),
    make("div", { class: "columns narrow" }, charts),
    details("The same as numbers", table("Numbers of clusters", columns, rows)),
  );
}

// Convergence: objective, residual and change over the iterations, a line per view.

const QUANTITIES = [
  ["objective", "Objective"],
  ["residual", "Residual"],
  ["change", "Change"],
];

function linesOf(rows, quantity) {
  const lines = new Map();
  for (const row of rows) {
    if (!Number.isFinite(row[quantity])) continue;
    const name = row.view;
    if (!lines.has(name)) lines.set(name, []);
    lines.get(name).push({ x: row.iteration, y: row[quantity] });
  }
  return [...lines].map(([name, points]) => ({ name, points }));
}

/** Rows for the table behind the charts: all of them, or evenly chosen ones. */
function thinned(rows, most) {
  const every = Math.max(1, Math.ceil(rows.length / most));
  return rows.filter((_, place) => place % every === 0 || place === rows.length - 1);
}

function convergencePanel(run) {
  const rows = run.document.trace;
  const { reason, iterations } = run.run.termination;
  if (rows.length === 0) {
    const why =
      reason === "direct"
        ? "This method computes its consensus directly, without iterations, so there is nothing that converges."
        : "No record of iterations was kept: the method writes none, or the run was made without it.";
    return panel("convergence", "Convergence", null, nothing(why));
  }
  const charts = QUANTITIES.map(([quantity, title]) => [title, linesOf(rows, quantity)])
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => lineChart(title, lines, "iteration"));
  const steps = plural(iterations, "iteration");
  const lead =
    reason === "iteration limit"
      ? `The method stopped at its limit of ${steps} and had not converged: a longer run may change the result.`
      : reason === "early stop"
        ? `The method ended after ${steps}, by design: its labels get no better from more.`
        : `The method ${reason === "converged" ? "converged" : "ended"} after ${steps}.`;
  const cells = thinned(rows, 200).map((row) => [
    integer(row.iteration),
    named(row.view),
    ...QUANTITIES.map(([name]) => number(row[name])),
  ]);
  return panel(
    "convergence",
    "Convergence",
    lead,
    make("div", { class: "columns narrow" }, charts),
    details(
      "The same as numbers",
      table("Convergence", ["Iteration", "View", ...QUANTITIES.map(([, title]) => title)], cells),
    ),
  );
}
