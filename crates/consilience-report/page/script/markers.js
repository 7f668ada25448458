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
