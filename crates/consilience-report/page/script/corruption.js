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
