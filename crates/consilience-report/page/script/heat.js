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
