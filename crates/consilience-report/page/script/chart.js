// Small pictures that several panels share: bars in words' company, matrices as tables, line charts as SVG.

/** A bar between 0 and 1 with its name and value above it. */
function meter(name, value, text, remark) {
  return make(
    "div",
    { class: "meter" },
    make("div", { class: "what" }, make("span", {}, name), make("b", {}, text)),
    make("span", { class: "track" }, make("i", { css: { "--share": Math.max(0, Math.min(1, value || 0)) } })),
    remark && make("small", {}, remark),
  );
}

/** The same on one line, for lists. */
function meterRow(name, value, text) {
  return make(
    "div",
    { class: "meter row" },
    make("span", {}, name),
    make("span", { class: "track" }, make("i", { css: { "--share": Math.max(0, Math.min(1, value || 0)) } })),
    make("b", {}, text),
  );
}

/** Gives a cell the colour of its value and follows the theme. */
function tint(cell, value) {
  theme.follow(() => {
    const colour = ramp("heat", theme.shade)[Math.round(255 * Math.max(0, Math.min(1, value || 0)) ** 0.8)];
    cell.style.backgroundColor = `rgb(${colour.join(" ")})`;
    cell.style.color = ink(colour);
  });
  return cell;
}

/** A coloured table. `cell(a, b)` gives { value 0..1, text, marked, act }. */
function matrix(caption, rows, columns, cell, corner = "") {
  const cells = (a) =>
    columns.map((_, b) => {
      const { value, text, marked, act, label } = cell(a, b);
      const inside = act ? make("button", { type: "button", "aria-label": label, on: { click: act } }, text) : text;
      return tint(make("td", { class: marked ? "match" : null }, inside), value);
    });
  const head = (text, scope) => make("th", { scope, title: text }, named(text));
  const made = make(
    "table",
    { class: columns.length > 14 ? "matrix large" : "matrix" },
    make("caption", { class: "quiet" }, caption),
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        make("td", {}, make("small", { class: "muted" }, corner)),
        columns.map((text) => head(text, "col")),
      ),
    ),
    make(
      "tbody",
      {},
      rows.map((text, a) => make("tr", {}, head(text, "row"), cells(a))),
    ),
  );
  return wide(caption, roving(made, "td > button"));
}

/** Round numbers between two values, about `wanted` of them. */
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough);
  const made = [];
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-9); i++) made.push(Number((i * step).toPrecision(12)));
  return made;
}

function extent(values) {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

const WIDTH = 360;
const HEIGHT = 220;
const EDGE = { left: 48, right: 10, top: 10, bottom: 40 };

/** Axes of a chart: a logarithmic one when the values are positive and span more than two powers of ten. */
function axes(points, xTitle) {
  let [xLow, xHigh] = extent(points.map((point) => point.x));
  let [low, high] = extent(points.map((point) => point.y));
  const log = low > 0 && high / low > 100;
  if (xLow === xHigh) [xLow, xHigh] = [xLow - 1, xHigh + 1];
  if (low === high) [low, high] = [low - Math.abs(low || 1) * 0.1, high + Math.abs(high || 1) * 0.1];
  const bend = log ? Math.log10 : (value) => value;
  const [from, to] = [bend(low), bend(high)];
  const room = (to - from) * 0.04;
  const x = (value) => EDGE.left + ((value - xLow) / (xHigh - xLow)) * (WIDTH - EDGE.left - EDGE.right);
  const y = (value) =>
    HEIGHT - EDGE.bottom - ((bend(value) - from + room) / (to - from + 2 * room)) * (HEIGHT - EDGE.top - EDGE.bottom);
  let marks = ticks(low, high, 4);
  if (log) {
    const every = Math.ceil((to - from) / 6);
    const powers = ticks(Math.floor(from), Math.ceil(to), 50).filter(
      (power) => Number.isInteger(power) && power % every === 0,
    );
    const times = to - from < 3 ? [1, 3] : [1];
    marks = powers
      .flatMap((power) => times.map((digit) => digit * 10 ** power))
      .filter((value) => value >= low && value <= high);
  }
  const frame = [
    marks.map((value) => [
      draw("line", { class: "grid", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(value), y2: y(value) }),
      draw("text", { x: EDGE.left - 8, y: y(value) + 4, "text-anchor": "end" }, number(value)),
    ]),
    ticks(xLow, xHigh, 5)
      .filter(Number.isInteger)
      .map((value) =>
        draw("text", { x: x(value), y: HEIGHT - EDGE.bottom + 18, "text-anchor": "middle" }, integer(value)),
      ),
    draw("line", {
      class: "axis",
      x1: EDGE.left,
      x2: WIDTH - EDGE.right,
      y1: HEIGHT - EDGE.bottom,
      y2: HEIGHT - EDGE.bottom,
    }),
    draw("text", { x: (EDGE.left + WIDTH - EDGE.right) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, xTitle),
  ];
  return { x, y, frame, log };
}

const DASHES = ["", "7 3", "2 3", "9 3 2 3"];

/** Lines over a common axis; `lines` are { name, points: [{x, y}] }. */
function lineChart(title, lines, xTitle) {
  const points = lines.flatMap((line) => line.points);
  const { x, y, frame, log } = axes(points, xTitle);
  const dash = (place) => DASHES[Math.floor(place / (lines.length > 8 ? 10 : 8)) % DASHES.length] || null;
  const paths = lines.map((line, place) =>
    draw("path", {
      d: line.points.map((point, i) => `${i ? "L" : "M"}${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`).join(""),
      fill: "none",
      "stroke-width": 2,
      "stroke-linejoin": "round",
      "stroke-dasharray": dash(place),
    }),
  );
  const dots = lines.map((line) =>
    line.points.length === 1 ? draw("circle", { cx: x(line.points[0].x), cy: y(line.points[0].y), r: 3 }) : null,
  );
  const hair = draw("line", { class: "hair", y1: EDGE.top, y2: HEIGHT - EDGE.bottom, visibility: "hidden" });
  const last = lines
    .map((line) => `${line.name} from ${number(line.points[0].y)} to ${number(line.points.at(-1).y)}`)
    .join("; ");
  const chart = draw(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}: ${last}.` },
    frame,
    hair,
    paths,
    dots,
  );
  const keys = lines.map((line) =>
    make(
      "li",
      {},
      draw(
        "svg",
        { viewBox: "0 0 26 10", "aria-hidden": "true" },
        draw("line", { x1: 0, x2: 26, y1: 5, y2: 5, "stroke-width": 3 }),
      ),
      named(line.name),
    ),
  );
  theme.follow(() =>
    lines.forEach((_, place) => {
      const colour = groupColour(place, lines.length, theme.shade);
      paths[place].setAttribute("stroke", colour);
      dots[place]?.setAttribute("fill", colour);
      const sample = keys[place].querySelector("line");
      sample.setAttribute("stroke", colour);
      if (dash(place)) sample.setAttribute("stroke-dasharray", dash(place));
    }),
  );
  const all = [...new Set(points.map((point) => point.x))];
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * WIDTH;
    const near = all.reduce((best, value) => (Math.abs(x(value) - at) < Math.abs(x(best) - at) ? value : best));
    fill(hair, { x1: x(near), x2: x(near), visibility: "visible" }, []);
    const values = lines.flatMap((line) =>
      line.points.filter((point) => point.x === near).map((point) => [named(line.name), number(point.y)]),
    );
    tooltip.show(event.clientX, event.clientY, `${xTitle} ${integer(near)}`, values.slice(0, 12));
  });
  chart.addEventListener("pointerleave", () => {
    hair.setAttribute("visibility", "hidden");
    tooltip.hide();
  });
  return make(
    "figure",
    { css: { margin: "0" } },
    make("h3", {}, title, log && make("small", { class: "muted" }, " (logarithmic)")),
    chart,
    lines.length > 1 ? make("ul", { class: "key" }, keys) : null,
  );
}
