// Cluster sizes: one row per cluster, which is also the button that selects it.

/** How far a cluster may be trusted, and what it touches. */
function stateWords(state, touches) {
  if (!state) return UNKNOWN;
  const named = touches.slice(0, 3).join(", ") + (touches.length > 3 ? ", …" : "");
  return state === "touching" ? `touches ${named}` : state;
}

function clusterRow(run, selection, c, largest) {
  const { size, state, touches, confidence, inside, stability, leak } = run.clusters[c];
  const whole = make("i", { class: "whole", css: { "--share": size / largest } });
  const chosen = make("i", { css: { "--share": 0 } });
  const sized = make("span", { class: "value size" });
  const extra = (title, value) => make("span", { class: "value extra", "data-title": title }, value);
  const row = make(
    "button",
    {
      type: "button",
      class: "group",
      "aria-pressed": "false",
      "data-cluster": c,
      on: { click: (event) => selection.toggle("cluster", c, event.shiftKey) },
    },
    make("span", { class: "name" }, marker(c, run.k), run.clusterName(c)),
    make("span", { class: "track" }, whole, chosen),
    sized,
    extra("state", stateWords(state, touches)),
    extra("sure", share(confidence)),
    extra("inside", percent(inside)),
    extra("stable", share(stability)),
    extra("leak", share(leak ?? NaN)),
  );
  const update = () => {
    const count = selection.mask ? selection.perCluster[c] : size;
    whole.classList.toggle("rest", selection.mask !== null);
    chosen.style.setProperty("--share", selection.mask ? count / largest : 0);
    sized.replaceChildren(
      selection.mask ? `${integer(count)} of ${integer(size)}` : integer(size),
      " ",
      make("small", {}, selection.mask ? "" : percent(size / run.n)),
    );
    row.setAttribute("aria-pressed", String(selection.chosen.has(`cluster ${c}`)));
  };
  selection.follow(update);
  update();
  theme.follow(() => row.querySelector(".track").style.setProperty("--fill", groupColour(c, run.k, theme.shade)));
  return make("li", {}, row);
}

/** Fields for names of the reader's own; they stand on the whole page and in what is exported, and are not kept. */
function namesPart(run) {
  const field = (c) =>
    make(
      "label",
      {},
      marker(c, run.k),
      `Cluster ${c} `,
      make("input", {
        type: "text",
        maxlength: 60,
        value: run.names.get(c) ?? "",
        "data-name-of": c,
        on: {
          change: (event) => {
            const name = event.target.value.trim();
            if (name) run.names.set(c, name);
            else run.names.delete(c);
          },
        },
      }),
    );
  const part = details(
    "Name the clusters",
    make("p", { class: "muted small" }, "Names stand on this page and in exported tables until the page is closed."),
    make("div", { class: "names" }, run.clusters.map((_, c) => field(c))),
    make("button", { type: "button", id: "use-names", on: { click: () => run.renamed() } }, "Use these names"),
  );
  part.id = "names";
  return part;
}

function clustersPanel(run, selection) {
  const sizes = run.clusters.map((cluster) => cluster.size);
  const largest = Math.max(1, ...sizes);
  const smallest = sizes.indexOf(Math.min(...sizes));
  const balance =
    run.k === 1
      ? "All samples are in one cluster."
      : `The largest cluster holds ${percent(largest / run.n)} of the samples, the smallest (cluster ${smallest}) ${plural(sizes[smallest], "sample")}.`;
  const heads = ["Cluster", "", "Samples", "State", "Confidence", "Stays inside", "Stability", "Leak"];
  const list = make(
    "ul",
    { class: "groups", "aria-label": "Clusters; choose one to select its samples" },
    make(
      "li",
      { class: "labels", "aria-hidden": "true" },
      heads.map((head, i) => make("span", { class: i > 1 ? "value" : null }, head)),
    ),
    run.clusters.map((_, c) => clusterRow(run, selection, c, largest)),
  );
  return panel(
    "clusters",
    "Clusters",
    `${balance} A “solid” cluster comes back when samples are left out and has a gap or a valley around it; one that “touches” others comes back without such a border; a “fragile” one does not come back. “Confidence” is the mean over its samples; “stays inside” is the share of its affinity that does not leave it; “leak” is the weight of ties across its border against those across its inside: 0 for an island, about 1 for a piece of something that goes on.`,
    roving(list, ".group"),
    namesPart(run),
    make(
      "p",
      { class: "keys" },
      "Choose a cluster to select its samples everywhere; with ",
      make("kbd", {}, "Shift"),
      " add another; ",
      make("kbd", {}, "Esc"),
      " clears.",
    ),
  );
}
