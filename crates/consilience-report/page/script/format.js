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
