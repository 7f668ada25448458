// The files that were dropped: what was recognised in each, and what the person says it is.

const DIGITS = ":digits";
const ROLES = [
  ["view", "a view"],
  ["affinity", "a view of affinities"],
  ["distance", "a view of distances"],
  ["classes", "known classes"],
  ["about", "about the samples"],
  ["off", "left out"],
];

/** Files of one question; `changed` is called when something is said about one. */
class Files {
  constructor(changed) {
    this.changed = changed;
    this.list = [];
    this.element = make("div", { class: "files" });
    this.message = make("div", {});
  }

  take(files) {
    this.message.replaceChildren();
    for (const file of files) this.add(file.name, file);
    return this.changed();
  }

  add(name, blob, role = null) {
    const old = this.list.find((file) => file.name === name);
    if (old) {
      this.message.append(problem({ text: `\`${name}\` was there already; the new one has taken its place.` }));
      this.list.splice(this.list.indexOf(old), 1);
    }
    if (blob) engine.add(name, blob);
    this.list.push({ name, role, given: role !== null, turned: false, without: new Set(), entries: new Set(), looked: null });
  }

  remove(file) {
    this.list.splice(this.list.indexOf(file), 1);
    engine.remove(file.name);
    return this.changed();
  }

  clear() {
    for (const { name } of this.list) engine.remove(name);
    this.list = [];
    this.isExample = false;
    this.message.replaceChildren();
  }

  of(role) {
    return this.list.filter((file) => file.role === role).map((file) => file.name);
  }

  names() {
    return this.list.map((file) => file.name);
  }

  /** The files that are views, of whatever kind. */
  viewFiles() {
    return this.list.filter((file) => ["view", "affinity", "distance"].includes(file.role));
  }

  /** Views that take part, when these are not all; what the engine takes by itself otherwise. */
  views() {
    const used = this.viewFiles().filter((file) => file.looked);
    const some = used.some((file) => file.without.size > 0 || file.entries.size > 0);
    const of = (file) => [...file.looked.views.map((view) => view.name).filter((name) => !file.without.has(name)), ...file.entries];
    const named = used.flatMap(of);
    if (some && named.length === 0) throw { text: "Every view is left out.", hint: "tick at least one" };
    return some ? named : [];
  }

  /** The files as the engine reads them, with what is said of columns. */
  inputs(columns) {
    const turned = this.list.filter((file) => file.turned).map((file) => file.name);
    const precomputed = ["affinity", "distance"].flatMap((kind) => this.of(kind).map((name) => [name, kind]));
    return {
      files: this.viewFiles().map((file) => file.name),
      views: this.views(),
      transpose: turned.length ? { files: turned } : "none",
      truth: this.of("classes")[0] ?? null,
      precomputed,
      ...columns,
    };
  }

  /** Lets the engine look at every file, and says what it saw. */
  async look(columns, views = []) {
    const turned = this.list.filter((file) => file.turned).map((file) => file.name);
    const transpose = turned.length ? { files: turned } : "none";
    const files = this.names();
    const looked = files.length ? await engine.ask({ ask: "look", inputs: { ...columns, files, transpose, views } }, files) : [];
    for (const file of this.list) {
      file.looked = looked.find(({ name }) => name === file.name) ?? file.looked;
      if (file.looked && !file.given) file.role = guessed(file.looked);
    }
    this.draw();
  }

  draw() {
    this.element.replaceChildren(...this.list.map((file) => this.card(file)));
  }

  card(file) {
    const role = select(ROLES, file.role, (value) => ((file.role = value), (file.given = true), this.changed()), { "aria-label": `What ${file.name} is` });
    const turned = make("input", { type: "checkbox", checked: file.turned, on: { change: () => ((file.turned = turned.checked), this.changed()) } });
    const isDigits = file.name === DIGITS;
    return make(
      "article",
      { class: "file", "data-role": file.role, "data-name": file.name },
      make("header", {}, make("h3", {}, named(isDigits ? "2000 handwritten digits" : file.name)), role, button("Remove", () => this.remove(file), { "aria-label": `Remove ${file.name}` })),
      file.looked && this.seen(file),
      !isDigits && file.role !== "about" && make("label", { class: "check" }, turned, " samples are columns, not rows"),
    );
  }

  seen(file) {
    const { error, views, classes, ids, entries, notes, table } = file.looked;
    if (file.role === "about" && table) {
      const why = error && make("p", { class: "small muted" }, "It cannot be a view: ", prose(error.text));
      return [make("p", {}, "A table about the samples, shown beside the clusters and never used to find them."), why];
    }
    if (error) return problem(error);
    const facts = [
      ids ? ["ids such as ", make("em", {}, ids.join(", "))] : "no ids: rows are matched by their order",
      classes ? `known classes: ${classes} (used for scores only)` : null,
    ].filter(Boolean);
    return [
      make("ul", {}, views.map((view) => this.view(file, view))),
      entries.length > 0 && make("div", { class: "entries" }, "Also in the file: ", entries.map((name) => this.tick(file.entries, name, name, true))),
      make("p", { class: "small muted" }, facts.map((fact, place) => [place ? "; " : "", fact])),
      sentences(notes, "small muted"),
    ];
  }

  /** A box that is ticked while the name is in the set, or while it is not. */
  tick(set, name, title, inside) {
    const box = make("input", { type: "checkbox", checked: set.has(name) === inside, on: { change: () => (box.checked === inside ? set.add(name) : set.delete(name), this.changed()) } });
    return make("label", { class: "check" }, box, " ", title);
  }

  view(file, view) {
    const facts = [
      `${integer(view.n)} samples × ${plural(view.d, "feature")}`,
      view.features && ["such as ", make("em", {}, view.features.join(", "))],
      view.auto_scale === "unit" && "taken for counts",
      view.missing > 0 && make("strong", {}, `${plural(view.missing, "missing value")}`),
      view.infinite > 0 && make("strong", {}, `${plural(view.infinite, "infinite value")}`),
      view.constant_columns > 0 && `${plural(view.constant_columns, "constant feature")}`,
      view.zero_rows > 0 && `${plural(view.zero_rows, "sample")} of zeros`,
      view.d > 20 * view.n && "more features than samples by far: are samples columns?",
    ].filter(Boolean);
    return make("li", {}, this.tick(file.without, view.name, make("strong", {}, named(view.name)), false), ": ", facts.map((fact, place) => [place ? ", " : "", fact]));
  }
}

/** What a file probably is. */
function guessed({ error, table, views, classes }) {
  if (error) return table ? "about" : "off";
  return views.length === 0 && classes ? "classes" : "view";
}
