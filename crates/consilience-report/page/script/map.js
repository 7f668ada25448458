// The embedding as a map of samples.

const COLOURINGS = {
  cluster: { title: "cluster" },
  class: { title: "class", missing: "Colouring by class needs true labels: run with `--truth`." },
  disagreement: {
    title: "view disagreement",
    low: "all views agree",
    high: "all views put it elsewhere",
    missing: "Disagreement needs at least two views and a run with `--report`.",
  },
  doubt: { title: "doubt", low: "nothing speaks against its cluster", high: "doubtful" },
};

class SampleMap {
  constructor(run, selection) {
    this.run = run;
    this.selection = selection;
    this.camera = new Camera(run);
    this.grid = new Grid(run);
    this.mode = "pan";
    this.outline = null; // screen points of the rectangle or lasso being drawn
    this.waiting = false;
    this.canvas = make("canvas", { tabindex: "0", role: "application", "aria-roledescription": "map" });
    this.root = make("div", { class: "stage map" }, this.canvas);
    this.legend = make("div", {});
    this.scale = make("canvas", { width: 256, height: 1, "aria-hidden": "true" });
    this.colourBy("cluster");
    selection.follow(() => this.redraw());
    selection.watch(() => this.redraw());
    theme.follow(() => {
      this.paint();
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(this.root);
  }

  /** Which samples belong together in this colouring, how many groups, and their names. */
  groups() {
    if (this.colouring === "class")
      return { column: this.run.class, count: this.run.truth.classes.length, name: (g) => this.run.className(g) };
    if (this.column?.values.kind === "groups")
      return { column: this.column.codes, count: this.column.values.names.length, name: (g) => this.column.values.names[g] };
    return { column: this.run.cluster, count: this.run.k, name: (g) => this.run.names.get(g) ?? String(g) };
  }

  get grouped() {
    return this.colouring === "cluster" || this.colouring === "class" || this.column?.values.kind === "groups";
  }

  colourBy(colouring) {
    this.colouring = colouring;
    // columns of the metadata are named by their place
    this.column = colouring.startsWith("metadata ") ? this.run.metadata[Number(colouring.slice(9))] : null;
    this.canvas.setAttribute("aria-label", this.summary());
    const { n } = this.run;
    if (this.grouped) {
      const { column, count } = this.groups();
      this.value = column;
      this.shape = Uint8Array.from({ length: n }, (_, s) => groupShape(column[s], count));
      this.order = Uint32Array.from({ length: n }, (_, s) => s);
    } else {
      this.value = this.column ? scaled(this.column) : this.run[colouring];
      this.shape = new Uint8Array(n);
      // doubtful samples come last, so that they lie on top
      this.order = Uint32Array.from({ length: n }, (_, s) => s).sort((a, b) => this.value[a] - this.value[b]);
    }
    this.paint();
    this.showLegend();
    this.redraw();
  }

  /** The colours of the values: one per group, or a scale. */
  paint() {
    const { count } = this.groups();
    this.colours = this.grouped
      ? Array.from({ length: count }, (_, g) => rgb(groupColour(g, count, theme.shade)))
      : ramp("alert", theme.shade);
    this.unknown = rgb(theme.colour("dim"));
    paintRamp(this.scale, ramp("alert", theme.shade));
  }

  summary() {
    const { run } = this;
    const title = this.column?.name ?? COLOURINGS[this.colouring].title;
    return `Map of ${plural(run.n, "sample")} in two dimensions, coloured by ${title}. Near samples are alike in the consensus. Arrow keys move, plus and minus zoom, comma and full stop step through samples, Enter selects the cluster of the sample; the table of samples holds the same data.`;
  }

  showLegend() {
    const { run, selection } = this;
    if (!this.grouped) {
      const { low, high } = this.column
        ? { low: number(this.column.values.range[0]), high: number(this.column.values.range[1]) }
        : COLOURINGS[this.colouring];
      this.legend.replaceChildren(make("div", { class: "ramp" }, low, this.scale, high));
      return;
    }
    const { count, name, column } = this.groups();
    const kind = this.colouring;
    const choose = (g, event) =>
      this.column
        ? selection.choose(`${this.column.name}: ${name(g)}`, (s) => column[s] === g)
        : selection.toggle(kind, g, event.shiftKey);
    const chip = (g) =>
      make(
        "button",
        {
          type: "button",
          "aria-pressed": "false",
          "data-key": `${kind} ${g}`,
          on: { click: (event) => choose(g, event) },
        },
        marker(g, count),
        kind === "cluster" ? run.clusterName(g) : named(name(g)),
      );
    const chips = make(
      "div",
      { class: "legend", role: "group", "aria-label": `Legend: choose a ${kind} to select it` },
      Array.from({ length: count }, (_, g) => chip(g)),
    );
    this.legend.replaceChildren(roving(chips, "button"));
    this.press();
  }

  press() {
    for (const chip of this.legend.querySelectorAll("[data-key]"))
      chip.setAttribute("aria-pressed", String(this.selection.chosen.has(chip.dataset.key)));
  }
}

function mapPanel(run, selection) {
  const map = new SampleMap(run, selection);
  const zoom = takeInput(map);
  const known = (colouring) => run[colouring] !== null;
  const missing = Object.entries(COLOURINGS)
    .filter(([name]) => !known(name))
    .map(([, about]) => about.missing);
  map.root.append(zoom);
  return panel(
    "map",
    "Map of the samples",
    "A layout of the embedding in two dimensions. Samples that lie together are alike in the consensus; distances between far groups mean little.",
    make(
      "div",
      { class: "tools" },
      choices(
        "Colour by",
        [
          ...Object.entries(COLOURINGS).map(([name, about]) => [name, about.title, known(name)]),
          ...run.metadata.map((column, place) => [`metadata ${place}`, column.name]),
        ],
        "cluster",
        (name) => map.colourBy(name),
      ),
      choices(
        "Drag to",
        [
          ["pan", "move"],
          ["rectangle", "select a rectangle"],
          ["lasso", "lasso"],
        ],
        "pan",
        (mode) => {
          map.mode = mode;
          map.root.classList.toggle("draws", mode !== "pan");
        },
      ),
      make(
        "button",
        { type: "button", id: "select-visible", on: { click: () => map.chooseVisible() } },
        "Select what is in view",
      ),
    ),
    map.root,
    map.legend,
    missing.length ? make("p", { class: "keys" }, prose(missing.join(" "))) : null,
    make(
      "p",
      { class: "keys" },
      "On the map: click a sample to select its cluster, wheel (after a click, or with ",
      make("kbd", {}, "Ctrl"),
      ") or pinch to zoom, ",
      make("kbd", {}, "+"),
      " ",
      make("kbd", {}, "−"),
      " ",
      make("kbd", {}, "0"),
      " zoom, arrows move, ",
      make("kbd", {}, ","),
      " ",
      make("kbd", {}, "."),
      " step through samples, ",
      make("kbd", {}, "Enter"),
      " selects the cluster, ",
      make("kbd", {}, "v"),
      " selects what is in view.",
    ),
  );
}
