// The page: files, what is asked of them, and what came out.

const LICENCE = "Your files stay in this page: it has no server, and its own rules forbid it to send anything.";

async function main() {
  const app = byId("app");
  app.append(make("header", { class: "top" }, make("h1", {}, "consilience"), make("p", { class: "lead" }, "Clusters of samples that several tables describe. ", LICENCE), theme.button()));
  const loading = make("p", { role: "status" }, "Unpacking the engine …");
  app.append(loading);
  try {
    await engine.load();
    const about = await engine.ask({ ask: "about" });
    loading.remove();
    build(app, about);
  } catch (error) {
    loading.replaceWith(problem({ text: `The engine cannot be started: ${error.text ?? error.message}`, hint: "Use a browser of 2023 or later" }));
  }
  performance.mark("ready");
}

function build(app, about) {
  const outcome = make("div", { id: "outcome" });
  const [status, place] = [make("div", { id: "status" }), make("div", {})];
  const refuse = (error) => status.replaceChildren(problem(error));
  let [results, looking] = [null, Promise.resolve()];

  // one look after the other, so that the last one is what is seen
  const look = () => {
    looking = looking.then(async () => {
      try {
        await files.look(options.columns(), options.named());
        run.disabled = files.viewFiles().length === 0;
      } catch (error) {
        if (!error.stopped) refuse(error);
      }
    });
    return looking;
  };
  const options = new Options(about, look);
  const files = new Files(look);
  const placing = new Placing(options);
  const [input, zone] = dropZone("files", "Drop your tables here, or click to choose", `rows are samples, every file is a view: ${about.formats.join(", ")}; packed by gzip too`, (list) => take(list));

  /** One's own files take the place of an example. */
  function take(list) {
    if (files.isExample) {
      files.clear();
      [options.k.value, options.join.value] = ["auto", "strict"];
    }
    return files.take(list);
  }

  async function go(leftOut = []) {
    status.replaceChildren();
    results?.close();
    results = null;
    outcome.replaceChildren();
    placing.ran(false);
    run.disabled = true;
    try {
      const inputs = { ...files.inputs(options.columns()), ...options.reading() };
      if (inputs.views.length === 0) inputs.views = options.named();
      if (leftOut.length > 0) inputs.views = (inputs.views.length ? inputs.views : everyView()).filter((name) => !leftOut.includes(name));
      const names = [...inputs.files, inputs.truth].filter(Boolean);
      const told = await Working.during(place, "Reading files", () => engine.ask({ ask: "fit", inputs, ...options.settings() }, names));
      results = new Results(told, refuse, again);
      outcome.replaceChildren(results.element);
      placing.ran(told.model);
      byId("summary").scrollIntoView({ block: "start" });
      announce(`${told.k} clusters of ${told.n} samples`);
      await results.examine(files.of("about")[0]);
    } catch (error) {
      if (!error.shown) refuse(error);
      if (error.stopped || error.broken) stopped();
    } finally {
      run.disabled = files.viewFiles().length === 0;
    }
  }

  /** The engine was started anew: what it knew of a run is gone. */
  function stopped() {
    placing.ran(false);
    results?.lost();
  }

  const everyView = () => files.viewFiles().flatMap((file) => file.looked?.views.map((view) => view.name) ?? []);
  const again = (k, leftOut) => {
    options.k.value = k;
    for (const file of files.list) for (const { name } of file.looked?.views ?? []) if (leftOut.includes(name)) file.without.add(name);
    files.draw();
    return go(leftOut);
  };
  const run = button("Run", () => go(), { id: "run", class: "main", disabled: true });

  const digits = () => {
    files.clear();
    files.add(DIGITS, null, "view");
    files.isExample = true;
    [options.k.value, options.join.value] = ["10", "strict"];
    return look();
  };
  const tumours = async () => {
    files.clear();
    for (const { name, role, text } of await engine.ask({ ask: "example" })) files.add(name, new Blob([text]), role);
    files.isExample = true;
    [options.k.value, options.join.value] = ["auto", "outer"];
    return look();
  };
  app.append(
    make(
      "section",
      { class: "panel", id: "files", "aria-labelledby": "files-title" },
      make("h2", { id: "files-title" }, "Files"),
      input,
      zone,
      make("div", { class: "tools" }, make("span", { class: "muted" }, "or try:"), button("2000 handwritten digits", digits, { id: "example-digits" }), button("240 made-up tumours", tumours, { id: "example-tumours" })),
      files.message,
      files.element,
    ),
    make("section", { class: "panel", id: "options" }, make("h2", {}, "What to look for"), options.elements(), make("div", { class: "tools" }, run), place, status),
    outcome,
    placing.element,
    make("footer", {}, make("p", { class: "small muted" }, `consilience ${about.version}, compiled to WebAssembly: the same engine as the program and the Python package, on one core and with at most 4 GB of memory.`)),
  );
  // a file that misses its place would replace the page
  for (const event of ["dragover", "drop"]) addEventListener(event, (dropped) => dropped.preventDefault());
}

theme.start();
main();
