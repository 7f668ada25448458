// The embedding as a map of samples.

const COLOURINGS = {
  cluster: { title: "cluster" },
  class: { title: "class", missing: "Colouring by class needs true labels: run with `--truth`." },
  disagreement: { title: "view disagreement", low: "all views agree", high: "all views put it elsewhere", missing: "Disagreement needs at least two views and a run with `--report`." },
  confidence: { title: "confidence", low: "sure", high: "doubtful", missing: "Confidence was not computed for this run; run it again with `--report`." },
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
    theme.follow(() => { this.paint(); this.draw(); });
    new ResizeObserver(() => this.draw()).observe(this.root);
  }

  /** Which samples belong together in this colouring, how many groups, and their names. */
  groups() {
    if (this.colouring === "class") return { column: this.run.class, count: this.run.truth.classes.length, name: (g) => this.run.className(g) };
    return { column: this.run.cluster, count: this.run.k, name: (g) => String(g) };
  }

  get grouped() {
    return this.colouring === "cluster" || this.colouring === "class";
  }

  colourBy(colouring) {
    this.colouring = colouring;
    this.canvas.setAttribute("aria-label", this.summary());
    const { n } = this.run;
    if (this.grouped) {
      const { column, count } = this.groups();
      this.value = column;
      this.shape = Uint8Array.from({ length: n }, (_, s) => groupShape(column[s], count));
      this.order = Uint32Array.from({ length: n }, (_, s) => s);
    } else {
      this.value = colouring === "confidence" ? this.run.confidence.map((value) => 255 - value) : this.run.disagreement;
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
    this.colours = this.grouped ? Array.from({ length: count }, (_, g) => rgb(groupColour(g, count, theme.shade))) : ramp("alert", theme.shade);
    this.unknown = rgb(theme.colour("dim"));
    paintRamp(this.scale, ramp("alert", theme.shade));
  }

  summary() {
    const { run } = this;
    const { title } = COLOURINGS[this.colouring];
    return `Map of ${plural(run.n, "sample")} in two dimensions, coloured by ${title}. Near samples are alike in the consensus. Arrow keys move, plus and minus zoom, comma and full stop step through samples, Enter selects the cluster of the sample; the table of samples holds the same data.`;
  }

  showLegend() {
    const { run, selection } = this;
    if (!this.grouped) {
      const { low, high } = COLOURINGS[this.colouring];
      this.legend.replaceChildren(make("div", { class: "ramp" }, low, this.scale, high));
      return;
    }
    const { count, name } = this.groups();
    const kind = this.colouring;
    const chip = (g) => make("button", { type: "button", "aria-pressed": "false", "data-key": `${kind} ${g}`, on: { click: (event) => selection.toggle(kind, g, event.shiftKey) } },
      marker(g, count), kind === "cluster" ? run.clusterName(g) : named(name(g)));
    const chips = make("div", { class: "legend", role: "group", "aria-label": `Legend: choose a ${kind} to select it` }, Array.from({ length: count }, (_, g) => chip(g)));
    this.legend.replaceChildren(roving(chips, "button"));
    this.press();
  }

  press() {
    for (const chip of this.legend.querySelectorAll("[data-key]")) chip.setAttribute("aria-pressed", String(this.selection.chosen.has(chip.dataset.key)));
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  /** Radius of a point in CSS pixels: small when there are many, larger when zoomed in. */
  radius() {
    const small = Math.max(1.3, 6.2 - 1.0 * Math.log10(this.run.n));
    return Math.min(7.5, small * this.camera.zoom ** 0.3);
  }

  draw() {
    const width = this.root.clientWidth;
    if (!width) return;
    const height = Math.round(Math.max(280, Math.min(theme.printing ? 420 : innerHeight * 0.72, Math.max(width * 0.72, 340))));
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.camera.resize(width, height);
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d");
    this.points(context, ratio);
    context.scale(ratio, ratio);
    if (this.grouped) this.names(context);
    this.ring(context);
    this.shapeBeingDrawn(context);
    this.press();
    this.root.classList.toggle("holds", this.camera.zoom > 1);
  }

  points(context, ratio) {
    const { run, camera, selection } = this;
    const { width, height } = this.canvas;
    const image = context.createImageData(width, height);
    const ground = rgb(theme.colour("surface"));
    const whole = new Uint32Array(image.data.buffer);
    whole.fill((255 << 24) | (ground[2] << 16) | (ground[1] << 8) | ground[0]);
    const radius = this.radius() * ratio;
    const marks = SHAPES.map((shape) => stamp(shape, radius));
    const faint = stamp("circle", Math.max(1, radius * 0.75));
    const scale = camera.scale * ratio;
    const [offX, offY] = [width / 2 - camera.x * scale, height / 2 + camera.y * scale];
    const reach = radius * 2;
    const pass = (chosen) => {
      for (let i = 0; i < run.n; i++) {
        const s = this.order[i];
        if (selection.mask !== null && (selection.mask[s] === 1) !== chosen) continue;
        const x = Math.round(run.x[s] * scale + offX);
        const y = Math.round(offY - run.y[s] * scale);
        if (x < -reach || y < -reach || x > width + reach || y > height + reach) continue;
        const colour = chosen ? this.colours[this.value[s]] || this.unknown : this.unknown;
        press(image.data, width, height, chosen ? marks[this.shape[s]] : faint, x, y, colour);
      }
    };
    if (selection.mask !== null) pass(false);
    pass(true);
    context.putImageData(image, 0, 0);
  }

  /** Names of the groups at the middle of their samples; those that would lie on another are left out. */
  names(context) {
    const { run, camera } = this;
    const { column, count, name } = this.groups();
    const sums = Array.from({ length: count }, () => [0, 0, 0]);
    for (let s = 0; s < run.n; s++) {
      const sum = sums[column[s]];
      if (!sum || !this.selection.has(s)) continue;
      sum[0] += run.x[s];
      sum[1] += run.y[s];
      sum[2]++;
    }
    context.font = "650 14px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeStyle = theme.colour("surface");
    context.fillStyle = theme.colour("text");
    const taken = [];
    sums.forEach(([x, y, size], g) => {
      if (size === 0 || count === 1) return;
      const text = name(g).length > 16 ? `${name(g).slice(0, 15)}…` : name(g);
      const [atX, atY] = [camera.screenX(x / size), camera.screenY(y / size)];
      const half = context.measureText(text).width / 2 + 4;
      if (taken.some((other) => Math.abs(other.y - atY) < 16 && Math.abs(other.x - atX) < other.half + half)) return;
      taken.push({ x: atX, y: atY, half });
      context.strokeText(text, atX, atY);
      context.fillText(text, atX, atY);
    });
  }

  /** A ring around the sample that is looked at. */
  ring(context) {
    const s = this.selection.focus;
    if (s < 0) return;
    for (const [colour, width] of [[theme.colour("surface"), 5], [theme.colour("text"), 2]]) {
      context.beginPath();
      context.arc(this.camera.screenX(this.run.x[s]), this.camera.screenY(this.run.y[s]), this.radius() + 5, 0, 7);
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.stroke();
    }
  }

  shapeBeingDrawn(context) {
    if (!this.outline) return;
    context.beginPath();
    this.outline.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.closePath();
    context.fillStyle = theme.colour("accent");
    context.globalAlpha = 0.12;
    context.fill();
    context.globalAlpha = 1;
    context.strokeStyle = theme.colour("accent");
    context.lineWidth = 1.5;
    context.stroke();
  }
}

function mapPanel(run, selection) {
  const map = new SampleMap(run, selection);
  const zoom = takeInput(map);
  const known = (colouring) => run[colouring] !== null;
  const missing = Object.entries(COLOURINGS).filter(([name]) => !known(name)).map(([, about]) => about.missing);
  map.root.append(zoom);
  return panel("map", "Map of the samples",
    "A layout of the embedding in two dimensions. Samples that lie together are alike in the consensus; distances between far groups mean little.",
    make("div", { class: "tools" },
      choices("Colour by", Object.entries(COLOURINGS).map(([name, about]) => [name, about.title, known(name)]), "cluster", (name) => map.colourBy(name)),
      choices("Drag to", [["pan", "move"], ["rectangle", "select a rectangle"], ["lasso", "lasso"]], "pan", (mode) => {
        map.mode = mode;
        map.root.classList.toggle("draws", mode !== "pan");
      }),
      make("button", { type: "button", id: "select-visible", on: { click: () => map.chooseVisible() } }, "Select what is in view")),
    map.root, map.legend,
    missing.length ? make("p", { class: "keys" }, prose(missing.join(" "))) : null,
    make("p", { class: "keys" }, "On the map: click a sample to select its cluster, wheel (after a click, or with ", make("kbd", {}, "Ctrl"), ") or pinch to zoom, ",
      make("kbd", {}, "+"), " ", make("kbd", {}, "−"), " ", make("kbd", {}, "0"), " zoom, arrows move, ", make("kbd", {}, ","), " ", make("kbd", {}, "."),
      " step through samples, ", make("kbd", {}, "Enter"), " selects the cluster, ", make("kbd", {}, "v"), " selects what is in view."));
}
