// Everything that is said of a run besides its files.

class Options {
  constructor(about, changed) {
    this.about = about;
    this.parameters = new Map();
    const text = (value, more) => make("input", { type: "text", value, size: "8", autocomplete: "off", ...more });
    const words = (list) => list.map(({ name, doc }) => [name, `${name}: ${doc.replace(/\.$/, "")}`]);
    const again = { on: { change: changed } };
    this.k = text("auto", { id: "k", "aria-describedby": "k-about" });
    this.join = select(words(about.join), "strict", null, { id: "join" });
    this.missing = select(words(about.missing), "refuse", null, { id: "missing" });
    this.ids = text("", { id: "ids", placeholder: "found", ...again });
    this.labels = text("", { id: "labels", placeholder: "found", ...again });
    this.views = text("", { size: "16", ...again });
    this.drop = text("", { size: "16", ...again });
    this.hot = text("", { size: "16", ...again });
    const standard = about.methods.find((method) => method.default);
    this.method = select(
      about.methods.map(({ id, title }) => [id, `${id}: ${title}`]),
      standard.id,
      () => this.draw(),
      { id: "method" },
    );
    this.scale = select(words(about.scale), "auto", null, {});
    this.seed = text("0", { inputmode: "numeric" });
    this.weights = text("", { size: "16", placeholder: "rna=2, protein=1" });
    this.landmarks = text("auto", {});
    this.values = make("div", { class: "fields" });
    this.draw();
  }

  /** A box for every parameter of the method, with what may be in it. */
  draw() {
    const method = this.about.methods.find(({ id }) => id === this.method.value);
    this.parameters.clear();
    this.values.replaceChildren(
      make("p", { class: "small muted" }, method.summary),
      ...method.parameters.map(({ name, default: standard, doc }) => {
        const value = standard === null || standard === undefined ? "" : String(standard);
        const box = make("input", { type: "text", value, size: "8", autocomplete: "off" });
        this.parameters.set(name, { box, value });
        return field(name, box, doc);
      }),
    );
  }

  elements() {
    const k = field("Clusters", this.k);
    k.append(make("small", { class: "muted", id: "k-about" }, "a number, a range such as 2-12, or auto: the data choose, and say why"));
    return [
      make("div", { class: "fields" }, k, field("Samples", this.join), field("Missing values", this.missing)),
      details(
        "How tables are read",
        make(
          "div",
          { class: "fields" },
          field("Column of ids", this.ids, "its name, its number from 1, or none"),
          field("Column of known classes", this.labels, "used for scores only"),
          field("Views to take", this.views, "where a file leaves open what is a view (AnnData): names, with commas"),
          field("Columns to leave out", this.drop, "names, with commas"),
          field("Columns of words", this.hot, "become a column of 0 and 1 for every value"),
        ),
      ),
      details(
        "Method and its parameters",
        make(
          "div",
          { class: "fields" },
          field("Method", this.method),
          field("Scaling", this.scale),
          field("Weights of views", this.weights, "only ratios count; empty: found by the method"),
          field("Seed", this.seed, "the same seed gives the same labels"),
          field("Landmarks", this.landmarks, "auto: above 50,000 samples; off; or a number"),
        ),
        this.values,
      ),
    ];
  }

  /** Views that are named, where files leave open what is one. */
  named() {
    return this.views.value.split(",").map((name) => name.trim()).filter(Boolean);
  }

  /** What is said of columns. */
  columns() {
    const list = (box) => box.value.split(",").map((name) => name.trim()).filter(Boolean);
    const one = (box) => box.value.trim() || null;
    return { id_column: one(this.ids), label_column: one(this.labels), drop_columns: list(this.drop), one_hot: list(this.hot) };
  }

  /** The rest of a question to cluster. */
  settings() {
    const changed = [...this.parameters].filter(([, { box, value }]) => box.value.trim() !== value);
    const weights = this.weights.value.split(",").filter((pair) => pair.trim());
    const seed = this.seed.value.trim();
    if (!/^\d{1,15}$/.test(seed)) throw { text: `The seed is \`${seed}\`; it must be a whole number.` };
    return {
      clusters: this.k.value.trim(),
      method: this.method.value,
      parameters: changed.map(([name, { box }]) => [name, box.value.trim()]),
      weights: weights.map((pair) => {
        const [, name, number] = /^(.*)=([^=]*)$/.exec(pair) ?? [];
        if (!number || !Number.isFinite(Number(number))) throw { text: `\`${pair.trim()}\` is no weight.`, hint: "write it as view=number, with commas between views" };
        return [name.trim(), Number(number)];
      }),
      scale: this.scale.value,
      seed: Number(seed),
      landmarks: this.landmarks.value.trim() || "auto",
    };
  }

  reading() {
    return { join: this.join.value, missing: this.missing.value };
  }
}
