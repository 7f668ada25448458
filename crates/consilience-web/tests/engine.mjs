// The engine in Node, through the same few lines of JavaScript as in the page.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = readFileSync(fileURLToPath(new URL("../page/script/wasm.js", import.meta.url)), "utf8");
const { startEngine, EngineError } = new Function(`${source}; return { startEngine, EngineError };`)();

export { EngineError };

/** An engine from the file of its module. */
export async function loadEngine(file, listen = () => {}) {
  return startEngine(await WebAssembly.compile(readFileSync(file)), listen);
}

/** A question to cluster these files, as the page asks it. */
export function fit(files, clusters, more = {}) {
  const { inputs, ...settings } = more;
  return { ask: "fit", inputs: { files, ...inputs }, clusters: String(clusters), method: "slrmf", scale: "auto", seed: 0, ...settings };
}
