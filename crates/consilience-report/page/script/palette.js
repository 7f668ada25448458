// Colours that survive colour blindness. Up to eight groups: Okabe and Ito (2008). More: the ten of Petroff (2021), which
// were chosen by a simulation of colour blindness, together with seven shapes; colour and shape repeat with different
// periods, so that the pair is new up to seventy groups. Groups are labelled in every picture besides.

const OKABE_ITO = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#000000"];
const PETROFF = [
  "#3f90da",
  "#ffa90e",
  "#bd1f01",
  "#94a4a2",
  "#832db6",
  "#a96b59",
  "#e76300",
  "#b9ac70",
  "#717581",
  "#92dadd",
];
const SHAPES = ["circle", "square", "triangle", "diamond", "wedge", "plus", "cross"];

/** Scales whose lightness only rises or falls, from the colour of the ground to the one that draws the eye. */
const RAMPS = {
  heat: {
    light: ["#ffffff", "#c9dcee", "#6ea6d3", "#1f65a8", "#08264d"],
    dark: ["#14181f", "#16395c", "#2a72aa", "#7dbde8", "#f3fbff"],
  },
  alert: { light: ["#cfd8e2", "#e9b872", "#c9502a", "#5d0f1e"], dark: ["#3b4655", "#93572f", "#ee8a48", "#ffedc4"] },
};

function rgb(hex) {
  return [1, 3, 5].map((from) => parseInt(hex.slice(from, from + 2), 16));
}

function groupColour(group, count, shade) {
  const colours = count <= OKABE_ITO.length ? OKABE_ITO : PETROFF;
  const colour = colours[group % colours.length];
  return colour === "#000000" && shade === "dark" ? "#f4f4f4" : colour;
}

const groupShape = (group, count) => (count <= OKABE_ITO.length ? 0 : group % SHAPES.length);

const ramps = new Map();

/** 256 colours of a scale as [r, g, b]. */
function ramp(name, shade) {
  const key = `${name} ${shade}`;
  if (!ramps.has(key)) ramps.set(key, makeRamp(name, shade));
  return ramps.get(key);
}

function makeRamp(name, shade) {
  const stops = RAMPS[name][shade].map(rgb);
  return Array.from({ length: 256 }, (_, i) => {
    const place = (i / 255) * (stops.length - 1);
    const from = Math.min(Math.floor(place), stops.length - 2);
    return stops[from].map((value, c) => Math.round(value + (stops[from + 1][c] - value) * (place - from)));
  });
}

/** Black or white, whichever can be read on this colour. */
function ink([r, g, b]) {
  const linear = (value) => ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) > 0.2 ? "#101418" : "#ffffff";
}

const SHAPE_PATHS = {
  circle: "M8 1.5a6.5 6.5 0 1 0 .01 0z",
  square: "M2.3 2.3h11.4v11.4H2.3z",
  triangle: "M8 1.2 14.8 13.6H1.2z",
  diamond: "M8 .6 15.4 8 8 15.4.6 8z",
  wedge: "M8 14.8 1.2 2.4h13.6z",
  plus: "M5.8 1h4.4v4.8H15v4.4h-4.8V15H5.8v-4.8H1V5.8h4.8z",
  cross: "M8 5 12 1l3 3-4 4 4 4-3 3-4-4-4 4-3-3 4-4-4-4 3-3z",
};

/** The sign of a group in lists and legends; its colour follows the theme. */
function marker(group, count) {
  return draw(
    "svg",
    { class: "marker", viewBox: "0 0 16 16", "aria-hidden": "true", "data-group": group, "data-groups": count },
    draw("path", {
      d: SHAPE_PATHS[SHAPES[groupShape(group, count)]],
      fill: groupColour(group, count, theme.shade),
      stroke: "currentColor",
      "stroke-opacity": 0.25,
    }),
  );
}
