// A table of any number of rows: only those in view are elements.

const ROW = 32; // height of a row in pixels, as the style sheet has it
const ON_PAPER = 25; // rows that are printed

class LongTable {
  /** `columns` are { name, title, numeric, key(row) for sorting, cell(row, td) to fill a cell, width }. */
  constructor(label, columns, count, act) {
    Object.assign(this, { columns, act, label });
    this.rows = Uint32Array.from({ length: count }, (_, row) => row); // what is shown, in order
    this.sorted = { column: null, falling: false };
    this.active = -1; // place in `rows`
    this.from = -1;
    this.heads = columns.map((column) =>
      make(
        "th",
        { scope: "col", class: column.numeric ? "number" : null, css: column.width ? { width: column.width } : {} },
        make("button", { type: "button", on: { click: () => this.sortBy(column) } }, column.title),
      ),
    );
    this.body = make("tbody", {});
    this.table = make(
      "table",
      {
        role: "grid",
        tabindex: "0",
        "aria-label": `${label}; arrow keys move to a sample`,
        "aria-rowcount": count + 1,
      },
      make("thead", {}, make("tr", { "aria-rowindex": 1 }, this.heads)),
      this.body,
    );
    this.root = make("div", { class: "rows", tabindex: "-1" }, this.table);
    this.root.addEventListener("scroll", () => this.draw());
    this.table.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw(true)).observe(this.root);
    theme.follow(() => this.draw(true));
  }

  show(rows) {
    this.rows = rows;
    this.active = -1;
    this.sort();
    this.table.setAttribute("aria-rowcount", rows.length + 1);
    this.root.scrollTop = 0;
    this.draw(true);
  }

  /** Rising first; the same column again turns the order round. */
  sortBy(column) {
    const same = this.sorted.column === column;
    this.sorted = { column, falling: same ? !this.sorted.falling : false };
    this.heads.forEach((head, c) => {
      if (this.columns[c] === column) head.setAttribute("aria-sort", this.sorted.falling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    this.sort();
    this.root.scrollTop = 0;
    this.draw(true);
    announce(`Sorted by ${column.title}, ${this.sorted.falling ? "falling" : "rising"}`);
  }

  sort() {
    const { column, falling } = this.sorted;
    if (!column) return;
    const keys = column.keys();
    const sign = falling ? -1 : 1;
    // ties keep the order of the file
    this.rows.sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
  }

  draw(again = false) {
    const total = this.rows.length;
    const room = theme.printing ? ON_PAPER : Math.ceil((this.root.clientHeight || 480) / ROW) + 12;
    const from = theme.printing ? 0 : Math.max(0, Math.min(total - 1, Math.floor(this.root.scrollTop / ROW) - 6));
    if (from === this.from && !again) return;
    this.from = from;
    const to = Math.min(total, from + room);
    // paper has room for few rows: those that matter most, whatever the order on the screen
    const shown = this.rows;
    if (theme.printing && this.onPaper) this.rows = this.rows.slice().sort(this.onPaper);
    const rows = [];
    for (let place = from; place < to; place++) rows.push(this.row(place));
    this.rows = shown;
    this.body.replaceChildren(this.spacer(from), ...rows, this.spacer(theme.printing ? 0 : total - to));
    if (total === 0)
      this.body.replaceChildren(
        make(
          "tr",
          { class: "spacer" },
          make("td", { colspan: this.columns.length }, nothing("No sample fits the search and the selection.")),
        ),
      );
  }

  spacer(rows) {
    return make(
      "tr",
      { class: "spacer", "aria-hidden": "true" },
      make("td", { colspan: this.columns.length, css: { height: `${rows * ROW}px` } }),
    );
  }

  row(place) {
    const row = this.rows[place];
    return make(
      "tr",
      {
        id: `${this.label.replace(/\W/g, "")}-${place}`,
        "aria-rowindex": place + 2,
        "aria-selected": String(place === this.active),
        "data-row": row,
        on: { click: () => this.activate(place) },
      },
      this.columns.map((column) => {
        const cell = make("td", { class: column.numeric ? "number" : null });
        column.cell(row, cell);
        return cell;
      }),
    );
  }

  activate(place) {
    if (place < 0 || place >= this.rows.length) return;
    this.active = place;
    const top = place * ROW;
    const { scrollTop, clientHeight } = this.root;
    if (top < scrollTop) this.root.scrollTop = top;
    if (top + 3 * ROW > scrollTop + clientHeight) this.root.scrollTop = top + 3 * ROW - clientHeight;
    this.draw(true);
    this.table.setAttribute("aria-activedescendant", `${this.label.replace(/\W/g, "")}-${place}`);
    this.act(this.rows[place]);
  }

  key(event) {
    if (event.target !== this.table) return;
    const page = Math.floor(this.root.clientHeight / ROW) - 2;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[
      event.key
    ];
    if (step === undefined) return;
    event.preventDefault();
    this.activate(
      Math.max(
        0,
        Math.min(
          this.rows.length - 1,
          Number.isFinite(step) ? this.active + step : step < 0 ? 0 : this.rows.length - 1,
        ),
      ),
    );
  }
}
