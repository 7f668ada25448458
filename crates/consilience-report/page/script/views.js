// The views: what each weighed, how they agree, and whether one of them does harm.

function viewRow(run, view) {
  const { silhouette } = run.document;
  const without = view.without;
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
            : "Runs without this view were not made for this report.",
        );
  return make(
    "div",
    { class: "view" },
    make("div", { class: "title" }, named(view.name), make("small", {}, plural(view.d, "feature"))),
    meter("Weight", view.weight, percent(view.weight), null),
    meter("NMI of its own clusters", view.own_nmi, score(view.own_nmi), own),
    loss,
    view.hurts
      ? make(
          "p",
          { class: "note" },
          make("b", {}, "This view hurts. "),
          `Without it the silhouette rises from ${score(silhouette)} to ${score(without?.silhouette)}. Consider leaving it out, or look at its corruption below.`,
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
  return pairs.reduce((sum, value) => sum + value, 0) / pairs.length;
}

function viewsPanel(run) {
  const { agreement } = run.document;
  const hurting = run.views.filter((view) => view.hurts).length;
  const tried = run.views.every((view) => view.without);
  const lead = `What each view contributed; “own clusters” are those the view finds alone, compared with the consensus. ${hurting ? `${plural(hurting, "view")} would better be left out.` : tried ? "No view lowers the quality of the consensus by being there." : ""}`;
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
