// The table of samples: search, sort, follow the selection, export.

/** Places of the texts in their natural order ("a2" before "a10"), made when first asked for. */
function ranks(texts) {
  const collator = new Intl.Collator("en", { numeric: true });
  const order = Uint32Array.from(texts, (_, i) => i);
  order.sort((a, b) => collator.compare(texts[a], texts[b]) || a - b);
  const rank = new Uint32Array(texts.length);
  for (let place = 1; place < order.length; place++) {
    const same = texts[order[place]] === texts[order[place - 1]];
    rank[order[place]] = same ? rank[order[place - 1]] : place;
  }
  return rank;
}

function once(make) {
  let made;
  return () => (made ??= make());
}

function idColumn(run) {
  return {
    name: "sample",
    title: "Sample",
    width: "28%",
    keys: once(() => (run.ids ? ranks(run.ids) : Uint32Array.from({ length: run.n }, (_, s) => s))),
    cell: (s, td) => {
      td.title = run.id(s).slice(0, 500);
      td.append(named(run.id(s)));
    },
    plain: (s) => run.id(s),
  };
}

function clusterColumn(run) {
  return {
    name: "cluster",
    title: "Cluster",
    numeric: true,
    keys: () => run.cluster,
    cell: (s, td) => td.append(marker(run.cluster[s], run.k), String(run.cluster[s])),
    plain: (s) => run.cluster[s],
  };
}

/** What the reader calls the clusters; only in exports, and only when something was named. */
function namesColumn(run) {
  return { name: "cluster_name", plain: (s) => run.names.get(run.cluster[s]) ?? "" };
}

function metadataColumn(column) {
  return {
    name: column.name,
    title: column.name,
    numeric: column.values.kind === "numbers",
    keys: () => column.codes,
    cell: (s, td) => td.append(named(metadataText(column, column.codes[s]))),
    plain: (s) => (column.codes[s] === NOT_KNOWN ? "" : metadataText(column, column.codes[s])),
  };
}

function classColumn(run) {
  const order = once(() => Uint16Array.from(run.class));
  return {
    name: "class",
    title: "Class",
    keys: order,
    cell: (s, td) => {
      td.title = run.classOf(s);
      td.append(named(run.classOf(s)));
    },
    plain: (s) => run.classOf(s),
  };
}

function shareColumn(name, title, values) {
  return {
    name,
    title,
    numeric: true,
    keys: () => values,
    cell: (s, td) => {
      td.classList.add("share");
      td.style.setProperty("--share", values[s] / 255);
      td.textContent = share(values[s] / 255);
    },
    plain: (s) => (values[s] / 255).toFixed(3),
  };
}

function sampleColumns(run) {
  const columns = [idColumn(run), clusterColumn(run)];
  if (run.class) columns.push(classColumn(run));
  const shares = [
    ["doubt", "Doubt"],
    ["confidence", "Confidence"],
    ["disagreement", "Disagree"],
    ["stability", "Stability"],
    ["corruption", "Corrupted"],
  ];
  for (const [name, title] of shares) if (run[name]) columns.push(shareColumn(name, title, run[name]));
  columns.push(...run.metadata.map(metadataColumn));
  return columns;
}

/** Lower-case text to search in: the id, and the class where there is one. */
function searchTexts(run) {
  const classes = run.truth?.classes.map((name) => name.toLowerCase());
  return (s, wanted) => run.id(s).toLowerCase().includes(wanted) || (classes?.[run.class[s]] ?? "").includes(wanted);
}

function samplesPanel(run, selection) {
  const columns = sampleColumns(run);
  const table = new LongTable("Table of samples", columns, run.n, (s) => selection.look(s));
  table.onPaper = (a, b) => run.doubt[b] - run.doubt[a] || a - b;
  const finds = searchTexts(run);
  const count = make("span", { class: "count" });
  const search = make("input", {
    type: "search",
    id: "search",
    placeholder: "Search in ids and classes",
    "aria-label": "Search samples by id or class",
  });
  const follow = make("input", { type: "checkbox", id: "only-selected", checked: true });
  const guard = make("input", { type: "checkbox", id: "guard", checked: true });
  const refresh = () => {
    const wanted = search.value.trim().toLowerCase();
    const rows = [];
    for (let s = 0; s < run.n; s++) {
      if (follow.checked && !selection.has(s)) continue;
      if (wanted === "" || finds(s, wanted)) rows.push(s);
    }
    table.show(Uint32Array.from(rows));
    count.textContent =
      rows.length === run.n
        ? `all ${plural(run.n, "sample")}`
        : `${integer(rows.length)} of ${plural(run.n, "sample")}`;
  };
  const save = () => {
    const exported = run.names.size ? [...columns, namesColumn(run)] : columns;
    const rows = Array.from(table.rows, (s) => exported.map((column) => column.plain(s)));
    download(
      `${run.name}_samples`,
      csv(
        exported.map((column) => column.name),
        rows,
        guard.checked,
      ),
    );
    announce(`${plural(rows.length, "row")} exported`);
  };
  let pause;
  search.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      refresh();
      announce(count.textContent);
    }, 80);
  });
  follow.addEventListener("change", refresh);
  selection.follow(refresh);
  refresh();
  return panel(
    "samples",
    "Samples",
    null,
    make(
      "div",
      { class: "tools" },
      search,
      make("label", { class: "check" }, follow, "only the selection"),
      count,
      make("button", { type: "button", id: "export", on: { click: save } }, "Export these rows as CSV"),
      make(
        "label",
        {
          class: "check",
          title:
            "A name that starts with = + - @ gets an apostrophe in front, so that no spreadsheet runs it. Turn off when programs match names exactly.",
        },
        guard,
        "guard against formulas",
      ),
    ),
    table.root,
    make(
      "p",
      { class: "keys" },
      `Choose a row to see the sample on the map. On paper the ${ON_PAPER} most doubtful of these rows are printed.`,
    ),
  );
}
