// Pointers, wheel and keys of the map.

Object.assign(SampleMap.prototype, {
  sampleAt(x, y) {
    const [planeX, planeY] = this.camera.plane(x, y);
    return this.grid.nearest(planeX, planeY, (this.radius() + 8) / this.camera.scale, (s) => this.selection.has(s));
  },

  chooseInside(polygon, label) {
    const { run, camera } = this;
    this.selection.choose(label, (s) => insidePolygon(polygon, camera.screenX(run.x[s]), camera.screenY(run.y[s])));
  },

  chooseVisible() {
    const { width, height } = this.camera;
    this.chooseInside(
      [
        [0, 0],
        [width, 0],
        [width, height],
        [0, height],
      ],
      "in view on the map",
    );
  },

  zoomBy(factor, x, y) {
    this.camera.zoomAt(factor, x, y);
    this.redraw();
  },

  home() {
    this.camera.home();
    this.redraw();
  },

  /** Shows a sample's facts beside it. */
  show(sample) {
    const { run, camera } = this;
    const box = this.canvas.getBoundingClientRect();
    tooltip.show(
      box.left + camera.screenX(run.x[sample]),
      box.top + camera.screenY(run.y[sample]),
      named(run.id(sample)),
      run.facts(sample),
    );
  },

  /** Steps to the next sample of the selection and brings it into view. */
  step(by) {
    const { run, selection, camera } = this;
    let sample = selection.focus;
    for (let tried = 0; tried < run.n; tried++) {
      sample = (sample + by + run.n) % run.n;
      if (selection.has(sample)) break;
    }
    selection.look(sample);
    const [x, y] = [camera.screenX(run.x[sample]), camera.screenY(run.y[sample])];
    if (x < 0 || y < 0 || x > camera.width || y > camera.height) camera.centre(run.x[sample], run.y[sample]);
    this.show(sample);
    announce(
      `Sample ${run.id(sample)}: ${run
        .facts(sample)
        .map(([name, value]) => `${name} ${value.textContent ?? value}`)
        .join(", ")}`,
    );
    this.redraw();
  },
});

const KEYS = {
  "+": (map) => map.zoomBy(1.5),
  "=": (map) => map.zoomBy(1.5),
  "-": (map) => map.zoomBy(1 / 1.5),
  0: (map) => map.home(),
  ArrowLeft: (map) => {
    map.camera.move(60, 0);
    map.redraw();
  },
  ArrowRight: (map) => {
    map.camera.move(-60, 0);
    map.redraw();
  },
  ArrowUp: (map) => {
    map.camera.move(0, 60);
    map.redraw();
  },
  ArrowDown: (map) => {
    map.camera.move(0, -60);
    map.redraw();
  },
  ",": (map) => map.step(-1),
  ".": (map) => map.step(1),
  v: (map) => map.chooseVisible(),
  Enter: (map, event) =>
    map.selection.focus >= 0 && map.selection.toggle("cluster", map.run.cluster[map.selection.focus], event.shiftKey),
};

/** Wires the map; gives back its zoom buttons. */
function takeInput(map) {
  const { canvas, camera, selection } = map;
  const fingers = new Map();
  let drag = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const rectangle = ([x0, y0], [x1, y1]) => [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ];
  const spread = () => {
    const [[x0, y0], [x1, y1]] = [...fingers.values()];
    return { size: Math.hypot(x1 - x0, y1 - y0), x: (x0 + x1) / 2, y: (y0 + y1) / 2 };
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    fingers.set(event.pointerId, place(event));
    drag = fingers.size === 2 ? { pinch: spread() } : { from: place(event), last: place(event), moved: false };
    tooltip.hide();
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = place(event);
    if (!fingers.has(event.pointerId)) return hover(event, at);
    fingers.set(event.pointerId, at);
    if (drag?.pinch && fingers.size === 2) {
      const now = spread();
      camera.move(now.x - drag.pinch.x, now.y - drag.pinch.y);
      camera.zoomAt(now.size / (drag.pinch.size || 1), now.x, now.y);
      drag.pinch = now;
    } else if (drag?.from) {
      dragTo(at);
    }
    map.redraw();
  });
  const dragTo = (at) => {
    drag.moved ||= Math.hypot(at[0] - drag.from[0], at[1] - drag.from[1]) > 4;
    if (!drag.moved) return;
    if (map.mode === "pan") camera.move(at[0] - drag.last[0], at[1] - drag.last[1]);
    else if (map.mode === "rectangle") map.outline = rectangle(drag.from, at);
    else map.outline = [...(map.outline || [drag.from]), at];
    drag.last = at;
  };
  const hover = (event, at) => {
    const sample = map.sampleAt(...at);
    if (sample < 0) return tooltip.hide();
    tooltip.show(event.clientX, event.clientY, named(map.run.id(sample)), map.run.facts(sample));
  };
  const release = (event, finished) => {
    fingers.delete(event.pointerId);
    const { outline } = map;
    map.outline = null;
    if (finished && outline)
      map.chooseInside(outline, map.mode === "lasso" ? "lasso on the map" : "rectangle on the map");
    else if (finished && drag?.from && !drag.moved) click(drag.from, event.shiftKey);
    if (fingers.size === 0) drag = null;
    map.redraw();
  };
  const click = (at, add) => {
    const sample = map.sampleAt(...at);
    if (sample < 0) return selection.clear();
    selection.look(sample);
    selection.toggle("cluster", map.run.cluster[sample], add);
  };
  canvas.addEventListener("pointerup", (event) => release(event, true));
  canvas.addEventListener("pointercancel", (event) => release(event, false));
  canvas.addEventListener("pointerleave", () => tooltip.hide());
  // the wheel scrolls the page until the map was clicked: a page that holds the wheel is a trap
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (document.activeElement !== canvas && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      map.zoomBy(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.002)), ...place(event));
    },
    { passive: false },
  );
  canvas.addEventListener("keydown", (event) => {
    const act = KEYS[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(map, event);
  });
  canvas.addEventListener("blur", () => tooltip.hide());

  const button = (sign, label, act) =>
    make("button", { type: "button", "aria-label": label, title: label, on: { click: act } }, sign);
  return make(
    "div",
    { class: "zoom", role: "group", "aria-label": "Zoom" },
    button("+", "Zoom in", () => map.zoomBy(1.5)),
    button("−", "Zoom out", () => map.zoomBy(1 / 1.5)),
    button("⌂", "Show all", () => map.home()),
  );
}
