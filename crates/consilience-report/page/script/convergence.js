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
