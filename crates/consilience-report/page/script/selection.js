// The one selection that all panels of a run share: a set of samples, and the sample that is looked at.

class Selection {
  constructor(run) {
    this.run = run;
    this.mask = null; // Uint8Array, 1 for the chosen samples; null: nothing is chosen
    this.count = 0;
    this.label = "";
    this.chosen = new Set(); // keys such as "cluster 3" of what was chosen by name, for pressed states
    this.perCluster = null;
    this.focus = -1;
    this.followers = [];
    this.watchers = [];
  }

  /** Calls `act` whenever the set changes. */
  follow(act) {
    this.followers.push(act);
  }

  /** Calls `act` whenever another sample is looked at. */
  watch(act) {
    this.watchers.push(act);
  }

  has(sample) {
    return this.mask === null || this.mask[sample] === 1;
  }

  /** Chooses the samples for which `test` holds; an empty set is no selection. */
  choose(label, test, chosen = new Set()) {
    const mask = new Uint8Array(this.run.n);
    const perCluster = new Uint32Array(this.run.k);
    let count = 0;
    for (let s = 0; s < mask.length; s++) {
      if (!test(s)) continue;
      mask[s] = 1;
      perCluster[this.run.cluster[s]]++;
      count++;
    }
    if (count === 0) return this.clear();
    Object.assign(this, { mask, count, label, chosen, perCluster });
    this.tell();
  }

  clear() {
    if (this.mask === null && this.focus < 0) return;
    Object.assign(this, { mask: null, count: 0, label: "", chosen: new Set(), perCluster: null });
    this.look(-1);
    this.tell();
  }

  /** Chooses a cluster or a class; again to let it go, `add` to keep the others of its kind. */
  toggle(kind, group, add) {
    const key = `${kind} ${group}`;
    const same = [...this.chosen].filter((other) => add && other.startsWith(`${kind} `) && other !== key);
    const chosen = new Set(same);
    if (!this.chosen.has(key) || (!add && this.chosen.size > 1)) chosen.add(key);
    if (chosen.size === 0) return this.clear();
    const column = this.run[kind];
    const groups = new Set([...chosen].map((other) => Number(other.slice(kind.length + 1))));
    const name = (g) => (kind === "cluster" ? String(g) : this.run.className(g));
    const label = `${kind}${groups.size > 1 ? (kind === "class" ? "es" : "s") : ""} ${[...groups]
      .sort((a, b) => a - b)
      .map(name)
      .join(", ")}`;
    this.choose(label, (s) => groups.has(column[s]), chosen);
  }

  look(sample) {
    if (this.focus === sample) return;
    this.focus = sample;
    for (const act of this.watchers) act(sample);
  }

  tell() {
    for (const act of this.followers) act();
    showSelection(this);
  }
}

/** The bar at the foot of the window; it also tells screen readers. */
function showSelection(selection) {
  const bar = byId("selection");
  const { run, count } = selection;
  bar.hidden = selection.mask === null;
  if (selection.mask === null) {
    bar.replaceChildren();
    announce("Selection cleared. All samples are shown.");
    return;
  }
  const parts = [...selection.perCluster]
    .map((size, c) => [size, c])
    .filter(([size]) => size > 0)
    .sort((a, b) => b[0] - a[0]);
  const listed = parts
    .slice(0, 8)
    .map(([size, c]) => `cluster ${c}: ${integer(size)}`)
    .join(", ");
  const rest = parts.length > 8 ? ` and ${plural(parts.length - 8, "more cluster")}` : "";
  const said = `${integer(count)} of ${plural(run.n, "sample")} selected`;
  bar.replaceChildren(
    make(
      "div",
      { class: "said" },
      make("b", {}, said),
      " (",
      named(selection.label),
      ")",
      make("span", { class: "parts" }, listed + rest),
    ),
    make("button", { type: "button", on: { click: () => byId("samples").scrollIntoView() } }, "Show in the table"),
    make(
      "button",
      { type: "button", id: "clear", on: { click: () => selection.clear() } },
      "Clear ",
      make("kbd", {}, "Esc"),
    ),
  );
  announce(`${said}: ${selection.label}`);
}
