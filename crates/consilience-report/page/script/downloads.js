// Export as CSV after RFC 4180: fields with commas, quotes or line ends are quoted, quotes doubled, lines end in CR LF.
// Spreadsheets run text that starts like a formula. By choice such a name gets an apostrophe in front, which they take as
// "this is text"; the box beside the button turns that off for programs that match names exactly. Numbers stay numbers, as
// text too. The program's own tables follow the same rule (`safe_cell`).

const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function csvField(value, guard) {
  const runs = typeof value === "string" && guard && FORMULA.test(value) && !NUMBER.test(value);
  const text = runs ? `'${value}` : String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv(heads, rows, guard) {
  return [heads, ...rows].map((row) => row.map((value) => csvField(value, guard)).join(",")).join("\r\n") + "\r\n";
}

function download(name, text) {
  saveFile(name, "csv", new Blob([text], { type: "text/csv;charset=utf-8" }));
}

function saveFile(name, kind, blob) {
  const address = URL.createObjectURL(blob);
  const link = make("a", { href: address, download: `${name.replace(/[^\w.-]+/g, "_").slice(0, 80) || "report"}.${kind}` });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// Every picture as SVG or PNG, every small table as CSV: one row of buttons below each of them.

const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "visibility"].concat(
  ["font-family", "font-size", "font-weight", "text-anchor"],
);

/** A chart as a file of its own: what the style sheet says is written into the elements. */
function standalone(chart) {
  const copy = chart.cloneNode(true);
  const [from, to] = [[chart, ...chart.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((element, place) => {
    const style = getComputedStyle(element);
    for (const name of STYLED) to[place].setAttribute(name, style.getPropertyValue(name));
    to[place].removeAttribute("class");
  });
  const [, , width, height] = chart.getAttribute("viewBox").split(" ").map(Number);
  const ground = draw("rect", { width, height, fill: theme.colour("surface") });
  copy.prepend(ground);
  fill(copy, { xmlns: SVG, width, height }, []);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

async function chartAsPng(chart) {
  const { text, width, height } = standalone(chart);
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [3 * width, 3 * height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** A canvas inside an SVG file: what is drawn in pixels stays pixels. */
function canvasAsSvg(canvas) {
  const { width, height } = canvas;
  return `<svg xmlns="${SVG}" width="${width}" height="${height}"><image width="${width}" height="${height}" href="${canvas.toDataURL("image/png")}"/></svg>`;
}

function tableRows(made) {
  return [...made.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
}

const saveButton = (kind, what, act) =>
  make("button", { type: "button", class: "save", "data-save": kind, "aria-label": `Save ${what} as ${kind.toUpperCase()}`, on: { click: act } }, kind.toUpperCase());

/** Puts the buttons below the pictures and tables of a panel. */
function offerDownloads(section, runName) {
  const title = section.querySelector("h2")?.textContent ?? "panel";
  const name = `${runName}_${section.id}`;
  const below = (element, ...buttons) => element.after(make("div", { class: "tools saves" }, buttons));
  for (const chart of section.querySelectorAll("svg.chart")) {
    const svg = () => saveFile(name, "svg", new Blob([standalone(chart).text], { type: "image/svg+xml" }));
    const png = async () => saveFile(name, "png", await chartAsPng(chart));
    below(chart, saveButton("svg", title, svg), saveButton("png", title, png));
  }
  for (const stage of section.querySelectorAll(".stage")) {
    const canvas = stage.querySelector("canvas");
    if (!canvas) continue;
    const svg = () => saveFile(name, "svg", new Blob([canvasAsSvg(canvas)], { type: "image/svg+xml" }));
    const png = () => canvas.toBlob((blob) => saveFile(name, "png", blob), "image/png");
    below(stage, saveButton("svg", title, svg), saveButton("png", title, png));
  }
  for (const region of section.querySelectorAll(".wide")) {
    const made = region.querySelector("table");
    const [heads, ...rows] = made ? tableRows(made) : [];
    if (heads) below(region, saveButton("csv", made.caption?.textContent ?? title, () => download(name, csv(heads, rows, true))));
  }
}
