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
