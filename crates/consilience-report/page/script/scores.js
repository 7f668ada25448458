// Scores and the confusion matrix, when the true classes are known.

const SCORES = { acc: "Accuracy", nmi: "NMI", ari: "ARI", purity: "Purity", fscore: "F-score" };
/** A score that the page has no title for is shown under its own name. */
const scoreTitle = (name) => SCORES[name] ?? name;

function confusionMatrix(run, selection) {
  const { classes, confusion, matched } = run.truth;
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
    confusion.map((_, c) => `cluster ${c}`),
    classes,
    cell,
  );
}

/** The pair of cluster and class, not matched to each other, that holds the most samples. */
function largestMistake({ confusion, matched }) {
  let worst = { count: 0 };
  confusion.forEach((row, c) =>
    row.forEach((count, t) => {
      if (matched[c] !== t && count > worst.count) worst = { count, c, t };
    }),
  );
  return worst;
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
  const mistake = largestMistake(run.truth);
  const remark =
    mistake.count === 0
      ? "Every cluster is one class."
      : `The largest mistake: ${plural(mistake.count, "sample")} of class “${run.className(mistake.t)}” in cluster ${mistake.c}.`;
  return panel(
    "scores",
    title,
    `The classes were used for scoring only. ${remark}`,
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
