// Damaged files, read by the page's engine: a view or a message, never a hang and never silence.
// `node hostile.mjs ENGINE.wasm FIXTURES [ROUNDS]`; FIXTURES is the unpacked `consilience-io/tests/files.zip`. The damage is that of
// `hostile_files.rs`: bits flipped, pieces cut out or put in, sizes that are too large.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { loadEngine } from "./engine.mjs";

const [wasm, folder, rounds = "1500"] = process.argv.slice(2);
const [SLOWEST, MOST] = [10, 1 << 30];

let state = 0x2545f491;
/** A whole number below `limit` (xorshift32). */
function random(limit) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % limit;
}

const SIZES = [[255, 255, 255, 255], Array(8).fill(255), [255, 255, 255, 127], [127, 255, 255, 255], [0, 0, 0, 64], [0, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0], [...Buffer.from("999999999999")]];

function damaged(original) {
  const bytes = [...original];
  const kind = random(6);
  const hits = 1 + random(3);
  const at = random(bytes.length);
  if (kind === 0) for (let hit = 0; hit < hits; hit++) bytes[random(bytes.length)] ^= 1 + random(255);
  else if (kind === 1) bytes.length = at;
  else if (kind === 2) bytes.splice(at, 0, ...Array.from({ length: 1 + random(63) }, () => random(256)));
  else if (kind === 3) bytes.splice(at, 1 + random(63));
  else {
    for (let hit = 0; hit < hits; hit++) {
      const step = [1, 2, 4, 8][random(4)];
      const from = Math.floor(random(bytes.length) / step) * step;
      SIZES[random(SIZES.length)].forEach((byte, place) => from + place < bytes.length && (bytes[from + place] = byte));
    }
  }
  return Uint8Array.from(bytes);
}

const names = readdirSync(folder).filter((name) => readFileSync(join(folder, name)).length > 0).sort();
let engine = await loadEngine(wasm);
// undamaged ones first: what cannot be read of them is of a format that the page does not have, or labels alone
for (const name of names) {
  engine.hold(name, readFileSync(join(folder, name)));
  const [looked] = engine.ask({ ask: "look", inputs: { files: [name] } });
  if (looked.error && !/parquet|zst/.test(name)) console.log(`  ${name}: ${looked.error.text.slice(0, 150)}`);
  engine.release(name);
}
const counts = { read: 0, refused: 0, broken: new Map() };
let slowest = 0;
for (let round = 0; round < Number(rounds); round++) {
  const name = names[round % names.length];
  const bytes = damaged(readFileSync(join(folder, name)));
  const from = performance.now();
  try {
    engine.hold(name, bytes);
    const options = round % 2 ? { views: ["X_pca", "protein", "counts", "a"], label_column: "cell_type" } : {};
    const [looked] = engine.ask({ ask: "look", inputs: { files: [name], ...options } });
    if (looked.error) assert.ok(looked.error.text.length > 10, `${name}: ${looked.error.text}`);
    counts[looked.error ? "refused" : "read"]++;
    engine.release(name);
  } catch (error) {
    // the page says this sentence and starts the engine anew
    assert.ok(error.broken && error.message.length > 20, `${name}, round ${round}: ${error.stack}`);
    counts.broken.set(`${name}: ${error.message}`, round);
    engine = await loadEngine(wasm);
  }
  const seconds = (performance.now() - from) / 1000;
  slowest = Math.max(slowest, seconds);
  assert.ok(seconds < SLOWEST, `${name}, round ${round}: ${seconds} s`);
  assert.ok(engine.memory() < MOST, `${name}, round ${round}: ${engine.memory()} bytes`);
}
console.log(`hostile.mjs: ${rounds} damaged files of ${names.length}: ${counts.read} read, ${counts.refused} refused, ${counts.broken.size} ended the engine; slowest ${slowest.toFixed(2)} s`);
for (const [what, round] of counts.broken) console.log(`  round ${round}: ${what.slice(0, 300)}`);
assert.ok(counts.read > 0 && counts.refused > 0);
