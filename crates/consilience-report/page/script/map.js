// From the plane of the layout to the screen and back, and which sample is near a place.

class Camera {
  constructor(run) {
    let [left, right, low, high] = [65535, 0, 65535, 0];
    for (let s = 0; s < run.n; s++) {
      left = Math.min(left, run.x[s]);
      right = Math.max(right, run.x[s]);
      low = Math.min(low, run.y[s]);
      high = Math.max(high, run.y[s]);
    }
    this.bounds = {
      x: (left + right) / 2,
      y: (low + high) / 2,
      width: Math.max(right - left, 1),
      height: Math.max(high - low, 1),
    };
    this.zoom = 1;
    this.x = this.bounds.x;
    this.y = this.bounds.y;
    this.resize(1, 1);
  }

  /** Width and height in CSS pixels; both axes keep one scale. */
  resize(width, height) {
    this.width = width;
    this.height = height;
    this.fit = Math.min((width - 48) / this.bounds.width, (height - 48) / this.bounds.height);
  }

  get scale() {
    return this.fit * this.zoom;
  }

  screenX(x) {
    return (x - this.x) * this.scale + this.width / 2;
  }

  screenY(y) {
    return this.height / 2 - (y - this.y) * this.scale;
  }

  plane(screenX, screenY) {
    return [(screenX - this.width / 2) / this.scale + this.x, (this.height / 2 - screenY) / this.scale + this.y];
  }

  /** Zooms by a factor and keeps the place under (screenX, screenY) where it is. */
  zoomAt(factor, screenX = this.width / 2, screenY = this.height / 2) {
    const [x, y] = this.plane(screenX, screenY);
    this.zoom = Math.max(1, Math.min(200, this.zoom * factor));
    const [nowX, nowY] = this.plane(screenX, screenY);
    this.centre(this.x + x - nowX, this.y + y - nowY);
  }

  move(byX, byY) {
    this.centre(this.x - byX / this.scale, this.y + byY / this.scale);
  }

  /** The centre stays over the data; at zoom 1 everything is seen, so it stays in the middle. */
  centre(x, y) {
    const loose = 0.5 * (1 - 1 / this.zoom);
    const keep = (value, middle, width) => Math.max(middle - loose * width, Math.min(middle + loose * width, value));
    this.x = keep(x, this.bounds.x, this.bounds.width * 1.1);
    this.y = keep(y, this.bounds.y, this.bounds.height * 1.1);
  }

  home() {
    this.zoom = 1;
    this.centre(this.bounds.x, this.bounds.y);
  }
}

const CELLS = 128;

/** Samples sorted into the cells of a grid, so that hovering looks at few of them. */
class Grid {
  constructor(run) {
    this.run = run;
    const cell = (s) => (run.y[s] >> 9) * CELLS + (run.x[s] >> 9);
    this.start = new Uint32Array(CELLS * CELLS + 1);
    for (let s = 0; s < run.n; s++) this.start[cell(s) + 1]++;
    for (let c = 0; c < CELLS * CELLS; c++) this.start[c + 1] += this.start[c];
    const next = this.start.slice();
    this.sorted = new Uint32Array(run.n);
    for (let s = 0; s < run.n; s++) this.sorted[next[cell(s)]++] = s;
  }

  /** The sample nearest to (x, y) within `reach`, or -1; only those that `wanted` accepts. */
  nearest(x, y, reach, wanted) {
    const clamp = (value) => Math.max(0, Math.min(CELLS - 1, Math.floor(value / 512)));
    let best = -1;
    let least = reach * reach;
    for (let row = clamp(y - reach); row <= clamp(y + reach); row++) {
      for (let column = clamp(x - reach); column <= clamp(x + reach); column++) {
        const cell = row * CELLS + column;
        for (let place = this.start[cell]; place < this.start[cell + 1]; place++) {
          const s = this.sorted[place];
          const distance = (this.run.x[s] - x) ** 2 + (this.run.y[s] - y) ** 2;
          if (distance <= least && wanted(s)) [best, least] = [s, distance];
        }
      }
    }
    return best;
  }
}

/** Whether a point lies in a polygon given as [x, y] pairs (even-odd rule). */
function insidePolygon(polygon, x, y) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i];
    const [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

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
