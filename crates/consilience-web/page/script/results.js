// What came out: a summary, everything that can be taken away, groups, and the report itself.

class Results {
  constructor(run, refuse, again) {
    this.run = run;
    this.refuse = refuse;
    this.again = again;
    /** What was fetched before the examination: it is there whatever becomes of that. */
    this.kept = new Map();
    this.groups = run.k > 1 ? new Groups(run, refuse) : null;
    this.working = make("div", {});
    this.frame = make("iframe", { id: "report", title: "The report of the run", hidden: true });
    this.element = make("div", { id: "results" }, this.summary(), this.groups?.element, make("section", { class: "panel", id: "report-panel" }, make("h2", {}, "Report"), this.working, this.frame));
  }

  summary() {
    const { run } = this;
    const sizes = Array(run.k).fill(0);
    run.labels.forEach((label) => sizes[label]++);
    const most = 30;
    const listed = sizes.slice(0, most).map((size, cluster) => `${cluster}: ${integer(size)}`).join(", ");
    const k = make("input", { type: "text", value: String(run.k), size: "5", id: "again-k", "aria-label": "Number of clusters" });
    const ticks = run.views.map(([name]) => [name, make("input", { type: "checkbox", checked: true })]);
    const repeat = () => this.again(k.value.trim(), ticks.filter(([, box]) => !box.checked).map(([name]) => name));
    const score = (value) => `${(100 * value).toFixed(1)}\u00a0%`;
    return make(
      "section",
      { class: "panel", id: "summary", tabindex: "-1" },
      make("h2", {}, `${plural(run.k, "cluster")} of ${plural(run.n, "sample")}`),
      make("p", {}, `By ${run.method}, in ${duration(run.seconds.total)}. Samples by cluster: ${listed}${run.k > most ? ", …" : ""}.`),
      run.landmarks && make("p", {}, `By landmarks: ${integer(run.landmarks)} samples were clustered in full, and all were placed among them.`),
      run.chosen && make("p", {}, "Why so many: ", run.chosen.join(" ")),
      make("p", {}, "Views: ", run.views.map(([name, , weight], place) => [place ? ", " : "", named(name), ` (weight ${weight.toFixed(2)})`])),
      run.scores && make("p", {}, "Against the known classes: ", run.scores.map(([name, value]) => `${name} ${score(value)}`).join(", "), "."),
      sentences(run.warnings, "warning"),
      run.notes.length > 0 && details("How the files were read", sentences(run.notes, "small muted")),
      make(
        "div",
        { class: "tools", id: "downloads" },
        make("strong", {}, "Take away:"),
        this.taken("Labels (CSV)", "labels.csv"),
        this.taken("Report (one HTML file)", "report.html", true),
        run.model && this.taken("Model", "model.safetensors"),
        this.taken("Everything (a run's folder as zip)", "run.zip"),
      ),
      make(
        "div",
        { class: "tools", id: "again" },
        make("strong", {}, "Again, with"),
        make("label", {}, k, " clusters"),
        run.views.length > 1 && ticks.map(([name, box]) => make("label", { class: "check" }, box, " ", named(name))),
        button("Run again", repeat),
      ),
    );
  }

  taken(title, name, later = false) {
    const taken = async () => {
      try {
        save(name, this.kept.get(name) ?? (await engine.ask({ ask: "file", name })));
      } catch (error) {
        this.refuse(error);
      }
    };
    return button(title, taken, { "data-file": name, disabled: later });
  }

  /** The engine has forgotten the run. */
  lost() {
    for (const button of this.element.querySelectorAll("#downloads button")) button.disabled = !this.kept.has(button.dataset.file);
  }

  /** Examines the run and shows its report. */
  async examine(about) {
    for (const name of ["labels.csv", ...(this.run.model ? ["model.safetensors"] : [])]) this.kept.set(name, await engine.ask({ ask: "file", name }));
    await Working.during(this.working, "Examining the result", () => engine.ask({ ask: "examine", about: about ?? null }, about ? [about] : []));
    const page = await engine.ask({ ask: "file", name: "report.html" });
    const document = JSON.parse(new TextDecoder().decode(await engine.ask({ ask: "file", name: "report.json" })));
    this.groups?.place(document);
    this.close();
    this.address = URL.createObjectURL(new Blob([page], { type: "text/html;charset=utf-8" }));
    this.frame.hidden = false;
    await new Promise((done) => {
      this.frame.onload = done;
      this.frame.src = this.address;
    });
    this.frame.dataset.shown = "yes";
    this.element.querySelector("[data-file='report.html']").disabled = false;
  }

  close() {
    if (this.address) URL.revokeObjectURL(this.address);
  }
}
