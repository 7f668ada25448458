// The views: what each weighed, how they agree, and whether one of them does harm.

const INFLUENCES = {
  raises: {
    head: "It raises the quality.",
    words: ({ change, margin }) => `With it the silhouette is higher by ${score(change)} ± ${score(margin)}`,
  },
  lowers: {
    head: "It lowers the quality.",
    words: ({ change, margin }) => `With it the silhouette is lower by ${score(-change)} ± ${score(margin)}`,
  },
  unclear: {
    head: "It makes no clear difference.",
    words: ({ change, margin }) =>
      `With it the silhouette changes by ${change < 0 ? "−" : "+"}${score(Math.abs(change))} ± ${score(margin)}`,
  },
};

/** One sentence for all views: what to leave out, and which to trust. */
function viewsLead(run) {
  const named = (influence) => run.views.filter((view) => view.influence === influence).map((view) => `“${view.name}”`);
  const lower = named("lowers");
  const all = lower.length === run.views.length;
  const [most] = [...run.views].sort((a, b) => b.weight - a.weight);
  const trusted =
    most.weight > 1 / run.views.length + 1e-9
      ? `The most trusted view is “${most.name}”, with ${percent(most.weight)} of the weight.`
      : "All views have the same weight.";
  if (!run.views.some((view) => view.effect)) return trusted;
  if (all) return `${trusted} Each view does better without the others: they describe different things.`;
  if (lower.length) return `${trusted} ${lower.join(", ")} ${lower.length === 1 ? "lowers" : "lower"} the quality.`;
  return named("unclear").length === run.views.length
    ? `${trusted} Leaving one out makes no clear difference.`
    : `${trusted} No view clearly lowers the quality; ${named("raises").join(", ") || "none"} clearly ${named("raises").length === 1 ? "raises" : "raise"} it.`;
}

function viewRow(run, view) {
  const { silhouette } = run.document;
  const { without, effect } = view;
  const own = view.own_scores ? `accuracy alone ${score(view.own_scores.acc)}` : null;
  const loss =
    without
      ? meter(
          "Silhouette without it",
          without.silhouette,
          score(without.silhouette),
          `with it ${score(silhouette)}${without.scores ? `; accuracy without it ${score(without.scores.acc)}` : ""}`,
        )
      : make(
          "small",
          { class: "muted" },
          run.views.length === 1
            ? "It is the only view, so there is no run without it."
            : effect
              ? "A run without it on all samples would take as long as the run; what it changes was measured on parts of them."
              : "Runs without this view were not made for this report.",
        );
  return make(
    "div",
    { class: "view" },
    make("div", { class: "title" }, named(view.name), make("small", {}, plural(view.d, "feature"))),
    meter("Weight", view.weight, percent(view.weight), null),
    meter("NMI of its own clusters", view.own_nmi, score(view.own_nmi), own),
    loss,
    effect
      ? make(
          "p",
          { class: "note", "data-influence": view.influence },
          make("b", {}, INFLUENCES[view.influence].head),
          ` ${INFLUENCES[view.influence].words(effect)}, over ${plural(effect.runs, "pair")} of runs with it and without it on the same part of the samples.`,
        )
      : null,
  );
}

function agreementMatrix(title, views, values) {
  const names = views.map((view) => view.name);
  return make(
    "div",
    {},
    make("h3", {}, title),
    matrix(`${title} (NMI)`, names, names, (a, b) => ({ value: values[a][b], text: share(values[a][b]) })),
  );
}

function meanAgreement(values) {
  const pairs = values.flatMap((row, a) => row.slice(0, a)).filter(Number.isFinite);
  return pairs.length ? pairs.reduce((sum, value) => sum + value, 0) / pairs.length : NaN;
}

function viewsPanel(run) {
  const { agreement } = run.document;
  const lead = `${viewsLead(run)} “Own clusters” are those that the method finds in the view alone, compared with the consensus.`;
  return panel(
    "views",
    "Views",
    run.views.length > 1 ? lead : "There is one view; the consensus is its own clustering.",
    make(
      "div",
      {},
      run.views.map((view) => viewRow(run, view)),
    ),
    make("div", { css: { "margin-top": "1.5rem" } }, agreementPart(run, agreement)),
  );
}

function agreementPart(run, agreement) {
  if (run.views.length < 2) return nothing("Agreement of views needs at least two of them.");
  const { before, after } = agreement;
  const change = after
    ? ` In the mean it is ${score(meanAgreement(before))} before and ${score(meanAgreement(after))} after.`
    : ` In the mean it is ${score(meanAgreement(before))}.`;
  return [
    make(
      "p",
      { class: "muted" },
      `Agreement of the views' clusterings (NMI: 0 unrelated, 1 the same), before the consensus and after it.${change}`,
    ),
    make(
      "div",
      { class: "columns" },
      agreementMatrix("Before", run.views, before),
      after
        ? agreementMatrix("After", run.views, after)
        : make(
            "div",
            {},
            make("h3", {}, "After"),
            nothing("This method does not change the views, so there is no agreement after it."),
          ),
    ),
  ];
}
