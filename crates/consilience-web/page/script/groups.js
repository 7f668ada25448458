// Groups: clusters of the run, or fewer of them joined, by names of the person's own. The run stays as it is.

class Groups {
  constructor(run, refuse) {
    this.run = run;
    this.refuse = refuse;
    this.sizes = Array(run.k).fill(0);
    this.sure = Array(run.k).fill(0);
    run.labels.forEach((label, i) => {
      this.sizes[label]++;
      this.sure[label] += run.confidence[i];
    });
    this.document = null;
    this.canvas = make("canvas", { width: "720", height: "520", role: "img", "aria-label": "A map of the samples, coloured by group", hidden: true });
    this.table = make("div", {});
    const levels = run.heights.map((height, join) => [String(run.k - 1 - join), `${run.k - 1 - join}: joined up to height ${height.toFixed(2)}`]);
    this.level = select([[String(run.k), `${run.k}: the clusters of the run`], ...levels], String(run.k), () => this.cut(), { id: "level" });
    this.reset([...this.sizes.keys()]);
    this.element = make(
      "section",
      { class: "panel", id: "groups", "aria-labelledby": "groups-title" },
      make("h2", { id: "groups-title" }, "Groups"),
      make("p", { class: "lead" }, "Take another level of the tree, join groups by hand and name them: nothing is computed again, and the report below stays that of the run."),
      make("div", { class: "tools" }, field("Level of the tree", this.level), button("Join the ticked groups", () => this.join(), { id: "join-groups" }), button("Groups as CSV", () => this.save(), { id: "save-groups" })),
      make("div", { class: "sides" }, this.table, this.canvas),
    );
    theme.follow(() => this.paint());
  }

  /** `into`: the group of every cluster. */
  reset(into) {
    this.into = into;
    this.names = Array.from({ length: Math.max(...into) + 1 }, (_, group) => `group ${group}`);
    this.draw();
  }

  async cut() {
    try {
      this.reset(await engine.ask({ ask: "cut", clusters: Number(this.level.value) }));
      announce(`${this.names.length} groups`);
    } catch (error) {
      this.refuse(error);
    }
  }

  join() {
    const ticked = [...this.table.querySelectorAll("input[type=checkbox]:checked")].map((box) => Number(box.value));
    if (ticked.length < 2) return;
    const [first, ...others] = ticked;
    const kept = [...this.names.keys()].filter((group) => !others.includes(group));
    this.into = this.into.map((group) => kept.indexOf(others.includes(group) ? first : group));
    this.names = kept.map((group) => this.names[group]);
    this.draw();
    announce(`${this.names.length} groups`);
  }

  draw() {
    const rows = this.names.map((name, group) => {
      const clusters = [...this.into.keys()].filter((cluster) => this.into[cluster] === group);
      const sum = (list) => clusters.reduce((all, cluster) => all + list[cluster], 0);
      const title = make("input", { type: "text", value: name, "aria-label": `Name of group ${group}`, on: { input: (event) => (this.names[group] = event.target.value) } });
      const mark = make("span", { class: "swatch", "data-group": group });
      return make(
        "tr",
        {},
        make("td", {}, make("input", { type: "checkbox", value: group, "aria-label": `Tick ${name}` })),
        make("td", {}, mark, " ", title),
        make("td", {}, clusters.join(", ")),
        make("td", { class: "number" }, integer(sum(this.sizes))),
        make("td", { class: "number" }, (sum(this.sure) / Math.max(1, sum(this.sizes))).toFixed(2)),
      );
    });
    const heads = ["", "Group", "Clusters", "Samples", "Confidence"].map((head) => make("th", { scope: "col" }, head));
    this.table.replaceChildren(make("table", { class: "groups" }, make("thead", {}, make("tr", {}, heads)), make("tbody", {}, rows)));
    this.paint();
  }

  /** The places of the samples, once the run is examined. */
  place(document) {
    const bytes = (packed) => Uint8Array.from(atob(packed.data), (letter) => letter.charCodeAt(0));
    const words = (packed) => new Uint16Array(bytes(packed).buffer);
    const { x, y, cluster } = document.samples;
    this.places = { x: words(x), y: words(y), cluster: words(cluster) };
    this.canvas.hidden = false;
    this.paint();
  }

  paint() {
    const count = this.names?.length ?? 0;
    for (const swatch of this.table.querySelectorAll(".swatch")) swatch.style.background = groupColour(Number(swatch.dataset.group), count, theme.shade);
    if (!this.places) return;
    const { x, y, cluster } = this.places;
    const { width, height } = this.canvas;
    const pen = this.canvas.getContext("2d");
    pen.clearRect(0, 0, width, height);
    const radius = Math.max(1.2, Math.min(5, 120 / Math.sqrt(x.length)));
    for (let i = 0; i < x.length; i++) {
      pen.fillStyle = groupColour(this.into[cluster[i]], count, theme.shade);
      pen.beginPath();
      pen.arc(10 + (x[i] / 65535) * (width - 20), 10 + (y[i] / 65535) * (height - 20), radius, 0, 7);
      pen.fill();
    }
  }

  save() {
    const { labels, confidence, ids } = this.run;
    const rows = labels.map((label, i) => [ids?.[i] ?? i + 1, this.names[this.into[label]], label, confidence[i].toFixed(4)]);
    save("groups.csv", csv(["sample", "group", "label", "confidence"], rows, true), "text/csv;charset=utf-8");
  }
}
