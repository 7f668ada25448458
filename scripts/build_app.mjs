// Puts the page together: `node scripts/build_app.mjs ENGINE.wasm FOLDER` writes FOLDER/consilience.html, with the engine packed
// inside. The page may load nothing and send nothing: its content security policy allows its own script, its own worker, and
// the script of the report that it shows.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { loadEngine } from "../crates/consilience-web/tests/engine.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const text = (path) => readFileSync(join(root, "crates", path), "utf8");
const all = (paths) => paths.map(text).join("");
const report = (names) => names.map((name) => `consilience-report/page/${name}`);
const own = (names) => names.map((name) => `consilience-web/page/${name}`);
const hash = (content) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;

const [wasmFile, folder] = process.argv.slice(2);
const wasm = readFileSync(wasmFile);
const style = all([...report(["style/base.css", "style/panels.css"]), ...own(["style/app.css"])]);
const scripts = [
  ...report(["script/dom.js", "script/palette.js", "script/theme.js", "script/downloads.js"]),
  ...own(["parts", "engine", "files", "options", "groups", "results", "place", "main"].map((name) => `script/${name}.js`)),
];
const script = `(() => {\n"use strict";\n${all(scripts)}})();\n`;
const worker = `"use strict";\n${all(own(["script/wasm.js", "script/worker.js"]))}`;

// the report inside obeys this page's policy besides its own
const { report_policy } = (await loadEngine(wasmFile)).ask({ ask: "about" });
const hashes = (kind) => new RegExp(`${kind}-src ([^;]*)`).exec(report_policy)[1];
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} ${hashes("script")} 'wasm-unsafe-eval'`,
  `style-src ${hash(style)} ${hashes("style")}`,
  "worker-src blob:",
  "frame-src blob:",
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

for (const [what, content] of Object.entries({ style, script, worker })) {
  if (new RegExp("</(style|script)|<!--").test(content)) throw new Error(`${what} would end its element`);
}
const parts = { policy, style, script, worker, wasm: gzipSync(wasm, { level: 9 }).toString("base64") };
const page = text("consilience-web/page/app.html").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "consilience.html"), page);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
console.log(`${join(folder, "consilience.html")}: ${megabytes(page.length)} (the engine is ${megabytes(wasm.length)}, packed ${megabytes((parts.wasm.length * 3) / 4)})`);
