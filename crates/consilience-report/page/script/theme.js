// Light and dark: the system's wish until the button says otherwise; paper is always light.

const theme = {
  shade: "light",
  listeners: new Set(),
  wish: "auto",
  printing: false,
  colours: new Map(),
  dark: matchMedia("(prefers-color-scheme: dark)"),
  paper: matchMedia("print"),

  start() {
    const update = () => this.update();
    this.dark.addEventListener("change", update);
    this.paper.addEventListener("change", () => this.print(this.paper.matches));
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
    this.update();
  },

  print(printing) {
    if (this.printing === printing) return;
    this.printing = printing;
    // what is folded away on the screen and wanted on paper
    for (const fold of document.querySelectorAll("details.paper")) fold.open = printing;
    this.update();
  },

  update() {
    const dark = !this.printing && (this.wish === "auto" ? this.dark.matches : this.wish === "dark");
    this.shade = dark ? "dark" : "light";
    this.colours.clear();
    document.documentElement.dataset.shade = this.shade;
    document.documentElement.dataset.theme = this.wish;
    for (const sign of document.querySelectorAll(".marker")) {
      sign.firstChild.setAttribute(
        "fill",
        groupColour(Number(sign.dataset.group), Number(sign.dataset.groups), this.shade),
      );
    }
    for (const act of this.listeners) act();
  },

  /** Calls `act` now and whenever the colours change. */
  follow(act) {
    this.listeners.add(act);
    act();
  },

  /** A colour of the style sheet, remembered until the theme changes: asking the browser makes it lay out the page. */
  colour(name) {
    if (!this.colours.has(name))
      this.colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
    return this.colours.get(name);
  },

  button() {
    const title = () => `◐ ${{ auto: "Auto", dark: "Dark", light: "Light" }[this.wish]}`;
    const button = make(
      "button",
      {
        type: "button",
        id: "theme",
        "aria-label": "Colours: automatic, dark or light",
        on: {
          click: () => {
            this.wish = { auto: "dark", dark: "light", light: "auto" }[this.wish];
            this.update();
            button.textContent = title();
          },
        },
      },
      title(),
    );
    return button;
  },
};
