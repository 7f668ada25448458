// New samples: tables like those of a run, by the run's own model or by one that was kept.

class Placing {
  constructor(options) {
    this.files = new Files(() => this.files.look(options.columns()).then(() => this.files.draw()).catch((error) => this.refuse(error)));
    this.options = options;
    this.hasRun = false;
    this.model = null;
    this.answer = make("div", { id: "placed" });
    this.which = make("p", { class: "small muted" });
    const [input, zone] = dropZone("place", "Drop tables of new samples here", "with the features of the run's files; and, if you like, a model.safetensors that you have kept", (files) => this.take(files));
    this.element = make(
      "section",
      { class: "panel", id: "placing" },
      make("h2", {}, "New samples"),
      make("p", { class: "lead" }, "Samples that were not there when the model was made get the cluster that they belong to, and how sure that is."),
      input,
      zone,
      this.files.message,
      this.files.element,
      this.which,
      make("div", { class: "tools" }, button("Place them", () => this.place(), { id: "place" })),
      this.answer,
    );
    this.say();
  }

  refuse(error) {
    this.answer.replaceChildren(problem(error));
  }

  /** Files of new samples have names of their own: those of the run may be called the same. */
  take(files) {
    const models = files.filter((file) => file.name.endsWith(".safetensors"));
    for (const file of models) {
      this.model = `new/${file.name}`;
      engine.add(this.model, file);
    }
    for (const file of files.filter((file) => !models.includes(file))) this.files.add(`new/${file.name}`, file, "view");
    this.say();
    return this.files.changed();
  }

  /** There is a run now, or none any more. */
  ran(hasModel) {
    this.hasRun = hasModel;
    this.say();
  }

  say() {
    this.which.textContent = this.model
      ? `By the model in ${this.model.slice(4)}.`
      : this.hasRun
        ? "By the model of the run above."
        : "There is no run with a model yet: run one above, or drop a model that you have kept.";
  }

  async place() {
    try {
      const inputs = { ...this.files.inputs(this.options.columns()), ...this.options.reading() };
      const names = [...this.files.names(), this.model].filter(Boolean);
      const told = await Working.during(this.answer, "Reading files", () => engine.ask({ ask: "place", inputs, model: this.model }, names));
      const sizes = Array(told.clusters).fill(0);
      told.labels.forEach((label) => sizes[label]++);
      this.answer.replaceChildren(
        make("p", {}, `${plural(told.labels.length, "sample")} placed. By cluster: ${sizes.map((size, cluster) => `${cluster}: ${integer(size)}`).join(", ")}.`),
        ...(told.unlike > 0 ? [make("p", { class: "warning" }, `${plural(told.unlike, "sample")} unlike anything the model was made of: do not trust their labels.`)] : []),
        ...sentences(told.warnings, "warning"),
        ...sentences(told.notes, "small muted"),
        button("Places (CSV)", async () => save("predictions.csv", await engine.ask({ ask: "file", name: "predictions.csv" })), { id: "save-places" }),
      );
    } catch (error) {
      this.refuse(error);
    }
  }
}
