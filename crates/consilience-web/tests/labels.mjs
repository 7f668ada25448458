// The page's engine gives what the program gives: `node labels.mjs ENGINE.wasm PROGRAM WORK [DATA]`. The same labels on the digits and on
// made-up data, a run's folder that the program reads, and a model that places what the program places. With DATA (a folder of
// .npz files) the labels of all of them are compared and told; that is no test.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fit, loadEngine } from "./engine.mjs";

const [wasm, program, work, data] = process.argv.slice(2);
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

const timed = (act) => {
  const from = performance.now();
  return [act(), (performance.now() - from) / 1000];
};
const run = (...words) => execFileSync(program, words, { cwd: work, encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"] });
const native = (files, k, ...more) => JSON.parse(run("cluster", ...files, "-k", String(k), "--json", "--threads", "1", ...more));

/** Labels by both, and how long each took for the fit alone. */
function both(engine, files, k, more = {}, words = []) {
  const [ours, took] = timed(() => engine.ask(fit(files, k, more)));
  const theirs = native(files, k, ...words);
  const differ = ours.labels.filter((label, i) => label !== theirs.labels[i]).length;
  console.log(`${basename(files[0])}: k ${ours.k}, ${differ} of ${ours.n} labels differ; ${took.toFixed(1)} s here, ${theirs.seconds.total.toFixed(1)} s by the program on one thread`);
  return { ours, theirs, differ };
}

if (data) {
  const size = (name) => statSync(join(data, name)).size;
  const sets = readdirSync(data).filter((name) => name.endsWith(".npz"));
  for (const file of sets.sort((a, b) => size(a) - size(b))) {
    const engine = await loadEngine(wasm);
    engine.hold(join(data, file), readFileSync(join(data, file)));
    const [looked] = engine.ask({ ask: "look", inputs: { files: [join(data, file)] } });
    both(engine, [join(data, file)], looked.classes);
  }
  process.exit(0);
}

const engine = await loadEngine(wasm);
const digits = both(engine, [":digits"], 10);
assert.equal(digits.differ, 0);
assert.deepEqual(digits.ours.scores.map(([name]) => name).slice(0, 2), ["ACC", "NMI"]);

const files = engine.ask({ ask: "example" });
for (const { name, text } of files) {
  engine.hold(name, new TextEncoder().encode(text));
  writeFileSync(join(work, name), text);
}
const views = files.filter(({ role }) => role === "view").map(({ name }) => name);
const chosen = both(engine, views, "auto", { inputs: { join: "outer" } }, ["--join", "outer"]);
assert.equal(chosen.differ, 0);
assert.equal(chosen.ours.k, 4);
assert.equal(chosen.ours.ids[0], "tumour-001");
chosen.theirs.views.forEach(({ name, d, weight }, at) => {
  const [ours, width, weighs] = chosen.ours.views[at];
  assert.deepEqual([ours, width], [name, d]);
  assert.ok(Math.abs(weighs - weight) < 1e-6, `${name}: ${weighs} and ${weight}`);
});

// another method, with a parameter of its own
const kmeans = both(engine, views.slice(0, 1), 3, { method: "snf", parameters: [["neighbours", "12"]] }, ["--method", "snf", "--set", "neighbours=12"]);
assert.equal(kmeans.differ, 0);

// the folder that the page gives is a run's folder
engine.ask(fit(views, 4, { inputs: { join: "outer" } }));
engine.ask({ ask: "examine", about: "clinic.csv" });
writeFileSync(join(work, "run.zip"), engine.ask({ ask: "file", name: "run.zip" }));
execFileSync("python3", ["-m", "zipfile", "-e", "run.zip", "."], { cwd: work });
run("report", "run");
assert.match(readFileSync(join(work, "run/report.html"), "utf8"), /^<!doctype html>/);
assert.match(readFileSync(join(work, "run/report.json"), "utf8"), /"grade"/);
const cut = run("cut", "run", "-k", "2").trim().split("\n").slice(1).map((line) => Number(line.split(",")[1]));
const into = engine.ask({ ask: "cut", clusters: 2 });
const labels = new TextDecoder().decode(engine.ask({ ask: "file", name: "labels.csv" })).trim().split("\n").slice(1);
assert.deepEqual(cut, labels.map((line) => into[Number(line.split(",")[1])]));

// and its model places new samples alike, here and there
const placed = engine.ask({ ask: "place", inputs: { files: ["expression.csv"] }, model: null });
const predictions = new TextDecoder().decode(engine.ask({ ask: "file", name: "predictions.csv" }));
assert.equal(placed.labels.length, 240);
assert.equal(run("predict", "run", "expression.csv"), predictions);
engine.hold("kept.safetensors", readFileSync(join(work, "run/model.safetensors")));
assert.deepEqual(engine.ask({ ask: "place", inputs: { files: ["expression.csv"] }, model: "kept.safetensors" }).labels, placed.labels);

// what is wrong is said, with what to do in the page's words
const refused = (act) => {
  try {
    act();
  } catch (error) {
    return `${error.message} | ${error.hint}`;
  }
  throw new Error("it was not refused");
};
assert.match(refused(() => engine.ask(fit(views, 4))), /methylation\.csv.*\| under “Samples”/s);
assert.match(refused(() => engine.ask(fit(["gone.csv"], 2))), /cannot read `gone\.csv`/);
assert.match(refused(() => engine.ask(fit(["expression.csv"], 500))), /there are only 240 samples/);
assert.match(refused(() => engine.ask({ ask: "dance" })), /not understood/);
assert.match(refused(() => engine.ask({ ask: "file", name: "run.zip" })), /nothing has been clustered/);
console.log("labels.mjs: all well");
