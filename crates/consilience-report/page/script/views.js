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

// Which samples are known to which views, and how sure the labels are given that. Only runs with incomplete views have it.

function presenceRow(run, group, most) {
  const all = run.document.run.n;
  return make(
    "tr",
    {},
    run.views.map((view, at) =>
      make(
        "td",
        { class: "known" },
        group.views.includes(at) ? make("span", { title: `known to ${view.name}` }, "●") : make("span", { class: "muted", title: `not known to ${view.name}` }, "○"),
      ),
    ),
    make("td", { class: "number" }, `${group.samples}`),
    make("td", {}, make("span", { class: "track", title: percent(group.samples / all) }, make("i", { css: { "--share": group.samples / most } }))),
    make("td", { class: "number" }, percent(group.confidence)),
    make("td", { class: "number" }, group.stability === null ? "not measured" : percent(group.stability)),
  );
}

function presencePanel(run) {
  const { presence } = run.document;
  if (!presence) return null;
  const most = Math.max(...presence.groups.map((group) => group.samples));
  const lacking = run.views
    .map((view, at) => ({ name: view.name, lacks: run.document.run.n - presence.known[at] }))
    .filter((view) => view.lacks > 0);
  const lead = `Not every view knows every sample: ${lacking.map((view) => `${view.name} lacks ${view.lacks}`).join(", ")}. Samples are grouped by the views that know them; the fewer these are, the less sure a label can be.`;
  return panel(
    "presence",
    "Known to which view",
    lead,
    make(
      "div",
      { class: "presence-scroll" },
      make(
        "table",
        { class: "presence" },
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            run.views.map((view) => make("th", { scope: "col" }, named(view.name))),
            make("th", { scope: "col" }, "Samples"),
            make("th", { scope: "col" }, "Share"),
            make("th", { scope: "col" }, "Confidence"),
            make("th", { scope: "col" }, "Stability"),
          ),
        ),
        make(
          "tbody",
          {},
          presence.groups.map((group) => presenceRow(run, group, most)),
        ),
      ),
    ),
    presence.others ? make("p", { class: "muted" }, `${plural(presence.others, "sample")} of further combinations are not listed.`) : null,
  );
}

// The corruption found: how much of each view, and the worst features and samples.

/** A share with where the truth is likely to be: an estimate without its error says too much. */
function estimated({ share, range }) {
  return range ? `${percent(share)}, likely ${percent(range[0])} to ${percent(range[1])}` : percent(share);
}

function worst(title, head, rows, none) {
  return make("div", {}, make("h3", {}, title), rows.length ? table(title, [head, "Corrupted"], rows) : nothing(none));
}

function viewCorruption(run, selection, view) {
  const found = view.corruption;
  const sample = ({ index }) =>
    make(
      "button",
      { type: "button", class: "link", on: { click: () => lookAt(run, selection, index) } },
      named(run.id(index)),
    );
  const fold = details(
    make("span", {}, named(view.name), `: ${estimated(found)} of its entries`),
    make(
      "div",
      { class: "columns" },
      worst(
        "Worst features",
        "Feature",
        found.features.map((feature) => [named(feature.name), percent(feature.share)]),
        "No feature stands out.",
      ),
      worst(
        "Worst samples",
        "Sample",
        found.samples.map((row) => [sample(row), percent(row.share)]),
        "No sample stands out.",
      ),
    ),
  );
  fold.classList.add("paper");
  return fold;
}

/** Chooses one sample and goes to it on the map. */
function lookAt(run, selection, index) {
  selection.choose(`sample ${run.id(index)}`, (s) => s === index);
  selection.look(index);
  byId("map").scrollIntoView();
}

function corruptionPanel(run, selection) {
  const title = "Corruption found";
  const looked = run.views.filter((view) => view.corruption);
  if (looked.length === 0) {
    return panel(
      "corruption",
      title,
      null,
      nothing(
        "This method does not look for corrupted entries, or was told not to. `slrmf` looks for them unless its parameter `robust` is `never`.",
      ),
    );
  }
  const most = looked.reduce((a, b) => (b.corruption.share > a.corruption.share ? b : a));
  const clean = looked.every((view) => view.corruption.share === 0);
  const lead = clean
    ? "No entry of any view was found corrupted."
    : `Entries that do not fit what the rest of the data say. Most are in view “${most.name}” (${estimated(most.corruption)}).`;
  const meters = looked.map((view) =>
    meterRow(named(view.name), view.corruption.share, estimated(view.corruption)),
  );
  return panel(
    "corruption",
    title,
    lead,
    make("div", { class: "list" }, meters),
    looked.filter((view) => view.corruption.share > 0).map((view) => viewCorruption(run, selection, view)),
  );
}
