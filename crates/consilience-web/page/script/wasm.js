// The engine's memory: bytes in, a question in, an answer out. Runs in a worker of the page, and in Node for tests.

/** What a finished sentence of the engine says went wrong; `broken` when it has to be started again. */
class EngineError extends Error {
  constructor(text, hint, broken = false) {
    super(text);
    this.hint = hint;
    this.broken = broken;
  }
}

/** An engine from a compiled module. `listen` is told of stages and progress. */
function startEngine(module, listen) {
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  let [panic, refused] = ["", 0];
  const bytesAt = (at, length) => new Uint8Array(exports.memory.buffer, at >>> 0, length >>> 0);
  const page = {
    now: () => (performance.timeOrigin + performance.now()) / 1000,
    stage: (number) => listen({ stage: number }),
    progress: (done, total) => listen({ done: done >>> 0, total: total >>> 0 }),
    panicked: (at, length) => (panic = decoder.decode(bytesAt(at, length))),
    short_of_memory: (bytes) => (refused = bytes),
  };
  const { exports } = new WebAssembly.Instance(module, { page });

  /** Why nothing works any more. */
  function broken(error) {
    const memory = `${Math.round(exports.memory.buffer.byteLength / 1e6)} MB were in use`;
    if (panic) return new EngineError(`The engine has stopped: ${panic}`, "This is a fault of ours: please report it with this sentence.", true);
    if (refused || error instanceof RangeError) {
      const more = refused ? ` and ${Math.ceil(refused / 1e6)} MB more could not be had` : "";
      return new EngineError(`The browser gives no more memory: ${memory}${more}.`, "Leave out samples or features, close other tabs, or use the program.", true);
    }
    return new EngineError(`The engine has stopped: ${error.message} (${memory})`, "This is a fault of ours: please report it with this sentence.", true);
  }

  /** Does something inside, after which the engine is there or said to be gone. */
  function inside(act) {
    try {
      return act();
    } catch (error) {
      throw broken(error);
    }
  }

  function given(bytes) {
    refused = 0;
    const at = exports.take(bytes.length) >>> 0;
    if (at === 0) throw new RangeError("no room");
    bytesAt(at, bytes.length).set(bytes);
    return at;
  }

  inside(() => exports.start());
  return {
    hold(name, bytes) {
      inside(() => {
        const at = given(bytes);
        const called = encoder.encode(name);
        exports.hold(given(called), called.length, at, bytes.length);
      });
    },
    release(name) {
      inside(() => {
        const called = encoder.encode(name);
        exports.release(given(called), called.length);
      });
    },
    /** The answer: what JSON says, or the bytes of a file. */
    ask(question) {
      const [kind, bytes] = inside(() => {
        const text = encoder.encode(JSON.stringify(question));
        const at = given(text);
        const kind = exports.ask(at, text.length);
        return [kind, bytesAt(exports.answer_at(), exports.answer_length()).slice()];
      });
      if (kind === 1) return bytes;
      const answer = JSON.parse(decoder.decode(bytes));
      if (kind === 2) throw new EngineError(answer.text, answer.hint);
      return answer;
    },
    memory: () => exports.memory.buffer.byteLength,
  };
}
