// Points drawn straight into the pixels of an image: a hundred thousand of them take some milliseconds, where the calls of
// a canvas would take a second. A stamp holds, for each of its pixels, how much of it the shape covers.

// The rim goes this far (of 256) towards black on a light ground and towards white on a dark one, so that colours near the
// ground keep an outline.
const RIM = 72;

const INSIDE = {
  circle: (x, y) => x * x + y * y < 1,
  square: (x, y) => Math.max(Math.abs(x), Math.abs(y)) < 0.88,
  triangle: (x, y) => y < 0.8 && y > 2 * Math.abs(x) - 1.1,
  diamond: (x, y) => Math.abs(x) + Math.abs(y) < 1.2,
  wedge: (x, y) => -y < 0.8 && -y > 2 * Math.abs(x) - 1.1,
  plus: (x, y) => Math.min(Math.abs(x), Math.abs(y)) < 0.38 && Math.max(Math.abs(x), Math.abs(y)) < 1.05,
  cross: (x, y) =>
    Math.min(Math.abs(x + y), Math.abs(x - y)) < 0.52 && Math.max(Math.abs(x + y), Math.abs(x - y)) < 1.5,
};

/** The stamp of a shape: its side in pixels, the share of each pixel it covers, and the share that is rim (both 0..256). */
function stamp(shape, radius) {
  const half = Math.ceil(radius * 1.2) + 1;
  const side = 2 * half + 1;
  const cover = new Uint16Array(side * side);
  const rim = new Uint16Array(side * side);
  const inside = INSIDE[shape];
  const core = Math.max(0.1, radius - 1) / radius;
  for (let p = 0; p < side * side; p++) {
    let covered = 0;
    let border = 0;
    for (let part = 0; part < 16; part++) {
      const x = ((p % side) - half + ((part % 4) - 1.5) / 4) / radius;
      const y = (Math.floor(p / side) - half + (Math.floor(part / 4) - 1.5) / 4) / radius;
      if (!inside(x, y)) continue;
      covered++;
      if (!inside(x / core, y / core)) border++;
    }
    cover[p] = covered * 16;
    rim[p] = covered ? (border / covered) * 256 : 0;
  }
  return { half, side, cover, rim: radius > 2.2 ? rim : null, rimTo: theme.shade === "light" ? 0 : 255 };
}

/** Presses a stamp of one colour into `pixels` (RGBA, `width` x `height`), centred at pixel (x, y). */
function press(pixels, width, height, mark, x, y, colour) {
  const r = colour[0];
  const g = colour[1];
  const b = colour[2];
  const { half, side, cover, rim, rimTo } = mark;
  const left = x - half;
  const top = y - half;
  const fromX = Math.max(0, -left);
  const toX = Math.min(side, width - left);
  const fromY = Math.max(0, -top);
  const toY = Math.min(side, height - top);
  for (let row = fromY; row < toY; row++) {
    for (let column = fromX; column < toX; column++) {
      const p = row * side + column;
      const alpha = cover[p];
      if (alpha === 0) continue;
      const at = 4 * ((top + row) * width + left + column);
      const edge = rim ? (rim[p] * RIM) >> 8 : 0;
      pixels[at] += ((r + (((rimTo - r) * edge) >> 8) - pixels[at]) * alpha) >> 8;
      pixels[at + 1] += ((g + (((rimTo - g) * edge) >> 8) - pixels[at + 1]) * alpha) >> 8;
      pixels[at + 2] += ((b + (((rimTo - b) * edge) >> 8) - pixels[at + 2]) * alpha) >> 8;
    }
  }
}

// How the map is drawn: points into the pixels of an image, names and outlines over them.

const MOST_NAMES = 40; // more groups than this do not all have room for a name

Object.assign(SampleMap.prototype, {
  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  },

  /** Radius of a point in CSS pixels: small when there are many, larger when zoomed in. */
  radius() {
    // shapes can be told apart from three pixels on, where groups have shapes
    const least = this.shape.some((shape) => shape > 0) ? 2.6 : 1.3;
    const small = Math.max(least, 6.2 - 1.0 * Math.log10(this.run.n));
    return Math.min(7.5, small * this.camera.zoom ** 0.3);
  },

  draw() {
    const width = this.root.clientWidth;
    if (!width) return;
    const height = Math.round(
      Math.max(280, Math.min(theme.printing ? 420 : innerHeight * 0.72, Math.max(width * 0.72, 340))),
    );
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.camera.resize(width, height);
    const context = this.canvas.getContext("2d");
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.image?.width !== across || this.image?.height !== down) {
      this.canvas.style.height = `${height}px`;
      this.canvas.width = across;
      this.canvas.height = down;
      this.image = context.createImageData(across, down);
    }
    this.points(context, ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.grouped) this.names(context);
    this.ring(context);
    this.shapeBeingDrawn(context);
    this.press();
    this.root.classList.toggle("holds", this.camera.zoom > 1);
  },

  points(context, ratio) {
    const { run, camera, selection, image } = this;
    const { width, height } = image;
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
  },

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
    const crowded = count > MOST_NAMES;
    context.font = `650 ${crowded ? 11 : 14}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeStyle = theme.colour("surface");
    context.fillStyle = theme.colour("text");
    const taken = [];
    // of very many groups only those that are larger on the screen than their name
    const spread = crowded ? this.spreads(sums, column) : null;
    sums.forEach(([x, y, size], g) => {
      if (size === 0 || count === 1) return;
      const text = name(g).length > 16 ? `${name(g).slice(0, 15)}…` : name(g);
      const [atX, atY] = [camera.screenX(x / size), camera.screenY(y / size)];
      const half = context.measureText(text).width / 2 + 4;
      if (spread && spread[g] * camera.scale < 1.5 * half) return;
      if (taken.some((other) => Math.abs(other.y - atY) < 16 && Math.abs(other.x - atX) < other.half + half)) return;
      taken.push({ x: atX, y: atY, half });
      context.strokeText(text, atX, atY);
      context.fillText(text, atX, atY);
    });
  },

  /** Half the width of every group: the root mean square distance from its middle. */
  spreads(sums, column) {
    const squares = new Float64Array(sums.length);
    for (let s = 0; s < this.run.n; s++) {
      const sum = sums[column[s]];
      if (!sum || !this.selection.has(s)) continue;
      squares[column[s]] += (this.run.x[s] - sum[0] / sum[2]) ** 2 + (this.run.y[s] - sum[1] / sum[2]) ** 2;
    }
    return squares.map((square, g) => Math.sqrt(square / (sums[g][2] || 1)));
  },

  /** A ring around the sample that is looked at. */
  ring(context) {
    const s = this.selection.focus;
    if (s < 0) return;
    for (const [colour, width] of [
      [theme.colour("surface"), 5],
      [theme.colour("text"), 2],
    ]) {
      context.beginPath();
      context.arc(this.camera.screenX(this.run.x[s]), this.camera.screenY(this.run.y[s]), this.radius() + 5, 0, 7);
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.stroke();
    }
  },

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
  },
});
