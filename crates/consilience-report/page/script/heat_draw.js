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
