// Puts the page together; several documents give a comparison and a tab per run.

function report(run, tabs, again) {
  const selection = new Selection(run);
  run.renamed = again; // new names of clusters stand everywhere
  onEscape = () => selection.clear();
  return [
    header(run, tabs),
    warningsPanel(run),
    choicePanel(run),
    clustersPanel(run, selection),
    markersPanel(run, selection),
    heatPanel(run, selection),
    mapPanel(run, selection),
    metadataPanel(run, selection),
    viewsPanel(run),
    presencePanel(run),
    corruptionPanel(run, selection),
    convergencePanel(run),
    scoresPanel(run, selection),
    surePanel(run, selection),
    samplesPanel(run, selection),
  ].filter((part) => part !== null);
}

let onEscape = () => {};

function tabsFor(runs, current, open) {
  if (runs.length < 2) return null;
  const tab = (place, title) =>
    make(
      "button",
      { type: "button", "aria-current": place === current ? "page" : null, on: { click: () => open(place) } },
      title,
    );
  return make(
    "nav",
    { class: "tabs", "aria-label": "Runs" },
    tab(-1, "Comparison"),
    runs.map((run, place) => tab(place, named(run.name))),
  );
}

/** The list of panels beside the page; the one in view is marked. */
function contents() {
  const links = new Map();
  for (const section of document.querySelectorAll("main > .panel")) {
    links.set(section, make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent));
  }
  byId("contents").replaceChildren(
    make(
      "ol",
      {},
      [...links.values()].map((link) => make("li", {}, link)),
    ),
  );
  const watch = new IntersectionObserver(
    (entries) => {
      for (const entry of entries)
        if (entry.isIntersecting) {
          for (const [section, link] of links) {
            if (section === entry.target) link.setAttribute("aria-current", "true");
            else link.removeAttribute("aria-current");
          }
        }
    },
    { rootMargin: "-20% 0px -70% 0px" },
  );
  for (const section of links.keys()) watch.observe(section);
}

function open(runs, place) {
  theme.listeners.clear();
  onEscape = () => {};
  tooltip.hide();
  byId("selection").hidden = true;
  const tabs = tabsFor(runs, place, (next) => {
    open(runs, next);
    scrollTo(0, 0);
    document.querySelector(".tabs [aria-current]")?.focus();
  });
  const parts = place < 0 ? comparison(runs, tabs) : report(runs[place], tabs, () => open(runs, place));
  document.title = place < 0 ? `${runs.length} runs · consilience` : `${runs[place].name} · consilience`;
  byId("content").replaceChildren(...parts.filter(Boolean));
  const name = place < 0 ? "comparison" : runs[place].name;
  for (const section of document.querySelectorAll("main > .panel")) offerDownloads(section, name);
  contents();
}

theme.start();
const runs = JSON.parse(byId("documents").textContent).map((contents) => new Run(contents));
open(runs, runs.length > 1 ? -1 : 0);
byId("footer").textContent = "Made by consilience. This file loads nothing from the network; all data stand in it.";
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  tooltip.hide();
  onEscape();
});
// tests read this: the page is drawn and answers
requestAnimationFrame(() => setTimeout(() => performance.mark("ready")));
