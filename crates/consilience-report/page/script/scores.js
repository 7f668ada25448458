// Scores and the confusion matrix, when the true classes are known.

const SCORES = { acc: "Accuracy", nmi: "NMI", ari: "ARI", purity: "Purity", fscore: "F-score" };
/** A score that the page has no title for is shown under its own name. */
const scoreTitle = (name) => SCORES[name] ?? name;

const MOST_REMARKS = 8;

/** Rows and columns so that what belongs together lies along the diagonal: clusters by the class they were matched to. */
function diagonalOrder({ classes, confusion, matched }) {
  const main = (c) => matched[c] ?? classes.length + confusion[c].indexOf(Math.max(...confusion[c]));
  const rows = confusion.map((_, c) => c).sort((a, b) => main(a) - main(b) || a - b);
  return { rows, columns: classes.map((_, t) => t) };
}

function confusionMatrix(run, selection) {
  const { classes, confusion, matched } = run.truth;
  const { rows, columns } = diagonalOrder(run.truth);
  const sizes = confusion.map((row) => row.reduce((sum, count) => sum + count, 0));
  const cell = (c, t) => {
    const count = confusion[c][t];
    const act =
      count === 0
        ? null
        : () =>
            selection.choose(`cluster ${c}, class ${classes[t]}`, (s) => run.cluster[s] === c && run.class[s] === t);
    return {
      value: count / (sizes[c] || 1),
      text: count === 0 ? "" : integer(count),
      marked: matched[c] === t,
      act,
      label: `Cluster ${c}, class ${classes[t]}: ${plural(count, "sample")}; select them`,
    };
  };
  return matrix(
    "Confusion matrix: clusters as rows, classes as columns",
    rows.map((c) => run.clusterName(c).replace(/^C(?=luster \d)/, "c")),
    columns.map((t) => classes[t]),
    (a, b) => cell(rows[a], columns[b]),
  );
}

function scoresPanel(run, selection) {
  const title = "Scores against the classes";
  if (!run.truth)
    return panel(
      "scores",
      title,
      null,
      nothing(
        "The true classes are not known. Give them with `--truth FILE` to get scores and a confusion matrix; they never reach the method.",
      ),
    );
  const { scores } = run.truth;
  const { remarks } = run.truth;
  return panel(
    "scores",
    title,
    `The classes were used for scoring only. ${remarks.length ? "" : "No class is merged with another, split, or without a cluster, but for a tenth of it at most."}`,
    remarks.length
      ? make(
          "ul",
          { class: "remarks" },
          remarks.slice(0, MOST_REMARKS).map((remark) => make("li", {}, make("bdi", {}, remark))),
          remarks.length > MOST_REMARKS ? make("li", {}, `and ${integer(remarks.length - MOST_REMARKS)} more`) : null,
        )
      : null,
    make(
      "dl",
      { class: "scores" },
      Object.entries(scores).map(([name, value]) =>
        make("div", {}, make("dt", {}, scoreTitle(name)), make("dd", {}, score(value))),
      ),
    ),
    make("h3", {}, "Confusion matrix"),
    make(
      "p",
      { class: "muted small" },
      "Rows are clusters, columns classes; colours are shares of the cluster. Framed: the class a cluster was matched to. Choose a number to select its samples.",
    ),
    confusionMatrix(run, selection),
  );
}
