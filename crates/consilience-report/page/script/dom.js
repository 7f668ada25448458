// Numbers as words on the page. Every number a reader sees goes through one of these.

const grouped = new Intl.NumberFormat("en-GB");
const UNKNOWN = "–";

function integer(value) {
  return Number.isFinite(value) ? grouped.format(value) : UNKNOWN;
}

/** Three significant digits; powers of ten where a plain number would be mostly zeros. */
function number(value) {
  if (!Number.isFinite(value)) return UNKNOWN;
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (Number.isInteger(value) && size < 1e9) return integer(value);
  if (size < 1e-3 || size >= 1e6) {
    const [digits, power] = value.toExponential(2).split("e");
    return `${Number(digits)}e${Number(power)}`;
  }
  return String(Number(value.toPrecision(3)));
}

/** A share of one; never "0 %" for something that is there, nor "100 %" for something that is not all. */
function percent(share) {
  if (!Number.isFinite(share)) return UNKNOWN;
  if (share > 0 && share < 0.001) return "<0.1\u00a0%";
  if (share < 1 && share > 0.999) return ">99.9\u00a0%";
  return `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : 1)}\u00a0%`;
}

function score(value) {
  return Number.isFinite(value) ? value.toFixed(3) : UNKNOWN;
}

function share(value) {
  return Number.isFinite(value) ? value.toFixed(2) : UNKNOWN;
}

function duration(seconds) {
  if (!Number.isFinite(seconds)) return UNKNOWN;
  if (seconds < 0.001) return "<1\u00a0ms";
  if (seconds < 1) return `${Math.round(1000 * seconds)}\u00a0ms`;
  if (seconds < 120) return `${seconds.toPrecision(3)}\u00a0s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

function plural(count, noun) {
  return `${integer(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A value of any kind of a parameter. */
function plain(value) {
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value === null || value === undefined) return UNKNOWN;
  return typeof value === "string" ? value : JSON.stringify(value);
}

// Elements. Text only ever becomes a text node: names and ids come from the files of users.

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    } else if (name === "css") {
      for (const [property, setting] of Object.entries(value)) element.style.setProperty(property, setting);
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** A name from a file: kept apart from the direction of the text around it. */
function named(text, attributes = {}) {
  if (text === "") return make("span", { class: "empty", ...attributes }, "(empty)");
  return make("bdi", attributes, text);
}

function panel(id, title, lead, ...content) {
  return make(
    "section",
    { class: "panel", id, "aria-labelledby": `${id}-title` },
    make("h2", { id: `${id}-title` }, title),
    lead && make("p", { class: "lead" }, lead),
    ...content,
  );
}

/** A sentence of ours with `code` between backticks. */
function prose(sentence) {
  return sentence.split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));
}

/** What a panel says in place of data it does not have. */
const nothing = (sentence) => make("p", { class: "nothing" }, prose(sentence));

const details = (summary, ...content) => make("details", {}, make("summary", {}, summary), ...content);

const wide = (label, ...content) =>
  make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label }, ...content);

/** A plain table; `rows` hold text or elements, numbers are set to the right. */
function table(caption, heads, rows) {
  const cell = (tag, value, column, extra = {}) =>
    make(tag, { class: column > 0 ? "number" : null, ...extra }, value instanceof Node ? value : String(value));
  return wide(
    caption,
    make(
      "table",
      {},
      make("caption", { class: "quiet" }, caption),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          heads.map((head, column) => cell("th", head, column, { scope: "col" })),
        ),
      ),
      make(
        "tbody",
        {},
        rows.map((row) =>
          make(
            "tr",
            {},
            row.map((value, column) =>
              column === 0 ? cell("th", value, 0, { scope: "row" }) : cell("td", value, column),
            ),
          ),
        ),
      ),
    ),
  );
}

/** A set of radio buttons that looks like one control; `options` are [value, title, enabled]. */
function choices(legend, options, chosen, act) {
  const name = `choice-${++choices.made}`;
  return make(
    "fieldset",
    { class: "choices" },
    make("legend", {}, legend),
    options.map(([value, title, enabled = true]) =>
      make(
        "label",
        { class: "choice" },
        make("input", {
          type: "radio",
          name,
          value,
          checked: value === chosen,
          disabled: !enabled,
          on: { change: () => act(value) },
        }),
        make("span", {}, title),
      ),
    ),
  );
}
choices.made = 0;

/** One tab stop for a list of buttons; arrows, Home and End move inside it. */
function roving(container, selector) {
  const items = () => [...container.querySelectorAll(selector)];
  items().forEach((item, place) => item.setAttribute("tabindex", place === 0 ? "0" : "-1"));
  container.addEventListener("keydown", (event) => {
    const all = items();
    const here = all.indexOf(event.target.closest(selector));
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const next = step ? here + step : { Home: 0, End: all.length - 1 }[event.key];
    if (here < 0 || next === undefined || !all[next]) return;
    event.preventDefault();
    all[here].setAttribute("tabindex", "-1");
    all[next].setAttribute("tabindex", "0");
    all[next].focus();
  });
  container.addEventListener("focusin", (event) => {
    const item = event.target.closest(selector);
    if (item) items().forEach((other) => other.setAttribute("tabindex", other === item ? "0" : "-1"));
  });
  return container;
}

/** Says something to screen readers. */
function announce(text) {
  byId("announcer").textContent = text;
}

const tooltip = {
  show(x, y, first, facts = []) {
    const box = byId("tooltip");
    box.replaceChildren(
      make("div", { class: "first" }, first),
      make(
        "dl",
        {},
        facts.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
      ),
    );
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    box.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 4))}px`;
    box.style.top = `${y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18}px`;
  },
  hide() {
    byId("tooltip").hidden = true;
  },
};
