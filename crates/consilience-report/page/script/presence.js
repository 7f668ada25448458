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
