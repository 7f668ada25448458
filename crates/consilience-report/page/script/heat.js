// The consensus affinity as a heat map of block averages, ordered by cluster or by class.

class HeatMap {
  constructor(run, selection) {
    this.run = run;
    this.selection = selection;
    this.bend = "root";
    this.canvas = make("canvas", { role: "application", "aria-roledescription": "heat map", tabindex: "0" });
    this.root = make("div", { class: "stage heat" }, this.canvas);
    this.cursor = [0, 0];
    this.order("cluster");
    selection.follow(() => this.draw());
    theme.follow(() => {
      this.picture = null;
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(this.root);
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => tooltip.hide());
    this.canvas.addEventListener("click", (event) => this.choose(this.at(event), event.shiftKey));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  order(kind) {
    const { run } = this;
    this.kind = kind;
    this.heat = kind === "class" ? run.document.heat_by_class : run.document.heat;
    this.group = kind === "class" ? run.class : run.cluster;
    this.groups = this.heat.bounds.length - 1;
    this.values = unpack(this.heat.values);
    this.blocks = run.blocks(this.heat, this.group);
    this.cursor = [0, 0];
    this.picture = null;
    this.canvas.setAttribute("aria-label", this.summary());
    this.draw();
  }

  name(g) {
    return this.kind === "class" ? this.run.className(g) : String(g);
  }

  /** Mean value between two groups, in units of the affinity. */
  mean(a, b) {
    const { bounds, size, max } = this.heat;
    let sum = 0;
    for (let i = bounds[a]; i < bounds[a + 1]; i++)
      for (let j = bounds[b]; j < bounds[b + 1]; j++) sum += this.values[i * size + j];
    const cells = (bounds[a + 1] - bounds[a]) * (bounds[b + 1] - bounds[b]);
    return cells ? ((sum / cells) * max) / 255 : NaN;
  }

  summary() {
    const groups = [...Array(this.groups).keys()];
    const pairs = groups
      .flatMap((a) => groups.slice(0, a).map((b) => [this.mean(a, b), a, b]))
      .filter(([value]) => Number.isFinite(value));
    const own = groups.map((g) => this.mean(g, g)).filter(Number.isFinite);
    const start = `Heat map of the consensus affinity, ordered by ${this.kind}. The mean affinity inside a ${this.kind} is ${number(own.reduce((a, b) => a + b, 0) / own.length)}`;
    if (pairs.length === 0) return `${start}.`;
    const [value, a, b] = pairs.reduce((best, pair) => (pair[0] > best[0] ? pair : best));
    const many = this.kind === "class" ? "classes" : "clusters";
    return `${start}; the two ${many} with the strongest link are ${this.name(b)} and ${this.name(a)} (${number(value)}).`;
  }

  /** Mean affinity between groups behind the picture, where it is small enough to read. */
  numbers() {
    const names = [...Array(this.groups).keys()].map((g) => this.name(g));
    const rows = names.map((name, a) => [named(name), ...names.map((_, b) => number(this.mean(a, b)))]);
    return table(`Mean affinity between the ${this.kind === "class" ? "classes" : "clusters"}`, ["", ...names], rows);
  }

  /** The pair of groups under the pointer. */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const find = (position) => {
      const block = (position / this.span) * this.heat.size;
      return block < 0
        ? -1
        : this.heat.bounds.findIndex((bound, g) => bound <= block && block < (this.heat.bounds[g + 1] ?? -1));
    };
    return [find(event.clientY - box.top - this.top), find(event.clientX - box.left - this.left)];
  }

  hover(event) {
    const [a, b] = this.at(event);
    if (a < 0 || b < 0) return tooltip.hide();
    tooltip.show(event.clientX, event.clientY, this.say(a, b), [["mean affinity", number(this.mean(a, b))]]);
  }

  say(a, b) {
    const many = this.kind === "class" ? "Classes" : "Clusters";
    return a === b ? `Inside ${this.kind} ${this.name(a)}` : `${many} ${this.name(a)} and ${this.name(b)}`;
  }

  choose([a, b], add) {
    const g = a >= 0 ? a : b;
    if (g < 0) return;
    this.selection.toggle(this.kind, g, add);
    if (b >= 0 && a >= 0 && a !== b && !add) this.selection.toggle(this.kind, b, true);
  }

  key(event) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step) {
      this.cursor = this.cursor.map((at, i) => Math.max(0, Math.min(this.groups - 1, at + step[i])));
      announce(`${this.say(...this.cursor)}: mean affinity ${number(this.mean(...this.cursor))}`);
      this.draw();
    } else if (event.key === "Enter" || event.key === " ") {
      this.choose(this.cursor, event.shiftKey);
    } else return;
    event.preventDefault();
  }
}

function heatPanel(run, selection) {
  const lead =
    "How strongly samples hold together in the consensus. Strong squares along the diagonal are clusters that hold; strong spots beside it link two clusters.";
  const heat = new HeatMap(run, selection);
  const size = run.document.heat.size;
  const behind = make("div", {});
  const legend = make("canvas", { width: 256, height: 1, "aria-hidden": "true" });
  const top = make("span", {});
  const refresh = () => {
    behind.replaceChildren(heat.groups <= 30 ? heat.numbers() : make("p", {}, heat.summary()));
    top.textContent = `${number(heat.heat.max)}${heat.bend === "root" ? " (colour by square root)" : ""}`;
  };
  refresh();
  theme.follow(() => paintRamp(legend, ramp("heat", theme.shade)));
  return panel(
    "heat",
    "Consensus affinity",
    lead,
    make(
      "div",
      { class: "tools" },
      choices(
        "Order",
        [
          ["cluster", "by cluster"],
          ["class", "by class", run.document.heat_by_class !== null],
        ],
        "cluster",
        (kind) => {
          heat.order(kind);
          refresh();
        },
      ),
      choices(
        "Colour",
        [
          ["root", "square root"],
          ["linear", "linear"],
        ],
        "root",
        (bend) => {
          heat.bend = bend;
          heat.picture = null;
          heat.draw();
          refresh();
        },
      ),
    ),
    heat.root,
    make(
      "div",
      { class: "ramp" },
      "0",
      legend,
      top,
      make(
        "span",
        {},
        size < run.n
          ? `${size} × ${size} block averages of ${integer(run.n)} × ${integer(run.n)} values`
          : `${size} × ${size} values`,
      ),
    ),
    run.class ? null : make("p", { class: "keys" }, prose("Order by class needs true labels: run with `--truth`.")),
    details("The same as numbers", behind),
  );
}

// How the heat map is drawn: the values, borders and names of the groups, and strips that show the selection.

const LEAST_GAP = 8; // pixels between the borders of groups, in the mean, for the borders to be drawn
const STRIP = 9; // width of the strip that shows which blocks the selection touches

Object.assign(HeatMap.prototype, {
  draw() {
    const side = this.root.clientWidth;
    if (!side || !this.heat) return;
    const ratio = Math.min(3, devicePixelRatio || 1);
    const context = this.canvas.getContext("2d");
    const font = `${side < 420 ? 10 : 12}px system-ui, sans-serif`;
    context.font = font;
    const longest = Math.max(...[...Array(this.groups).keys()].map((g) => context.measureText(this.name(g)).width));
    this.left = STRIP + 8 + Math.min(longest, side * 0.2);
    this.top = STRIP + 18;
    this.span = side - this.left - 2;
    this.canvas.width = Math.round(side * ratio);
    this.canvas.height = Math.round((this.top + this.span + 2) * ratio);
    context.scale(ratio, ratio);
    context.font = font;
    this.paint(context);
    this.borders(context);
    this.strips(context);
  },

  paint(context) {
    this.picture ??= this.pixels();
    context.imageSmoothingEnabled = this.heat.size > this.span * devicePixelRatio;
    context.drawImage(this.picture, this.left, this.top, this.span, this.span);
  },

  /** The values as a picture of one pixel each; kept until order, colour or theme change. */
  pixels() {
    const { size } = this.heat;
    const colours = ramp("heat", theme.shade);
    const image = new ImageData(size, size);
    const words = new Uint32Array(image.data.buffer);
    for (let i = 0; i < size * size; i++) {
      const value = this.values[i] / 255;
      const [r, g, b] = colours[Math.round(255 * (this.bend === "root" ? Math.sqrt(value) : value))];
      words[i] = (255 << 24) | (b << 16) | (g << 8) | r;
    }
    const small = document.createElement("canvas");
    small.width = small.height = size;
    small.getContext("2d").putImageData(image, 0, 0);
    return small;
  },

  placeX(block) {
    return this.left + (block / this.heat.size) * this.span;
  },

  placeY(block) {
    return this.top + (block / this.heat.size) * this.span;
  },

  /** Frames the block of rows of group `a` and columns of group `b`. */
  frame(context, a, b) {
    const { bounds } = this.heat;
    const [x, y] = [this.placeX(bounds[b]), this.placeY(bounds[a])];
    context.strokeRect(x, y, this.placeX(bounds[b + 1]) - x, this.placeY(bounds[a + 1]) - y);
  },

  borders(context) {
    const { bounds, size } = this.heat;
    const picked = this.selection.mask
      ? [...this.selection.chosen]
          .filter((key) => key.startsWith(`${this.kind} `))
          .map((key) => Number(key.slice(this.kind.length + 1)))
      : [];
    context.strokeStyle = theme.colour("muted");
    context.lineWidth = 0.6;
    context.beginPath();
    // lines that lie close would hide what they divide
    const crowded = this.span / this.groups < LEAST_GAP;
    for (const bound of crowded ? [0, size] : bounds) {
      context.moveTo(this.placeX(bound), this.top);
      context.lineTo(this.placeX(bound), this.placeY(size));
      context.moveTo(this.left, this.placeY(bound));
      context.lineTo(this.placeX(size), this.placeY(bound));
    }
    context.stroke();
    context.strokeStyle = theme.colour("accent");
    context.lineWidth = 2.5;
    for (const g of picked) this.frame(context, g, g);
    if (document.activeElement === this.canvas) {
      context.strokeStyle = theme.colour("doubtful");
      this.frame(context, ...this.cursor);
    }
    this.labels(context);
  },

  labels(context) {
    const { bounds } = this.heat;
    context.fillStyle = theme.colour("text");
    context.textBaseline = "middle";
    let lastRow = -99;
    let lastColumn = -99;
    for (let g = 0; g < this.groups; g++) {
      const middle = (bounds[g] + bounds[g + 1]) / 2;
      const [x, y] = [this.placeX(middle), this.placeY(middle)];
      if (y - lastRow > 12) {
        context.textAlign = "right";
        context.fillText(shorten(context, this.name(g), this.left - STRIP - 5), this.left - STRIP - 5, y);
        lastRow = y;
      }
      const room = this.placeX(bounds[g + 1]) - this.placeX(bounds[g]) + 8;
      const text = shorten(context, this.name(g), Math.max(room, 16));
      const half = context.measureText(text).width / 2;
      if (text !== "…" && x - half > lastColumn + 3) {
        context.textAlign = "center";
        context.fillText(text, x, this.top - STRIP - 9);
        lastColumn = x + half;
      }
    }
  },

  /** How much of each block is selected, along both axes. */
  strips(context) {
    const { size } = this.heat;
    const held = new Float32Array(size);
    const chosen = new Float32Array(size);
    for (let s = 0; s < this.run.n; s++) {
      if (this.blocks[s] < 0) continue;
      held[this.blocks[s]]++;
      if (this.selection.mask && this.selection.mask[s]) chosen[this.blocks[s]]++;
    }
    for (let block = 0; block < size; block++) {
      const width = this.span / size + 0.5;
      context.globalAlpha = this.selection.mask
        ? 0.12 + 0.88 * Math.sqrt(held[block] ? chosen[block] / held[block] : 0)
        : 0.12;
      context.fillStyle = theme.colour(this.selection.mask && chosen[block] ? "accent" : "muted");
      context.fillRect(this.placeX(block), this.top - STRIP, width, STRIP - 3);
      context.fillRect(this.left - STRIP, this.placeY(block), STRIP - 3, width);
    }
    context.globalAlpha = 1;
  },
});

/** As much of a text as fits. */
function shorten(context, text, room) {
  let end = Math.min(text.length, 40);
  const cut = () => (end < text.length ? `${text.slice(0, end)}…` : text);
  while (end > 0 && context.measureText(cut()).width > room) end--;
  return cut();
}

function paintRamp(canvas, colours) {
  const image = new ImageData(256, 1);
  colours.forEach((colour, i) => image.data.set([...colour, 255], 4 * i));
  canvas.getContext("2d").putImageData(image, 0, 0);
}
