// The worker: holds the engine, so that the page stays alive while it computes.

/** Progress is told so often, in milliseconds. */
const OFTEN = 100;
let [engine, told] = [null, 0];

function listen(news) {
  const now = performance.now();
  if (news.stage === undefined && now - told < OFTEN) return;
  told = now;
  postMessage({ news });
}

onmessage = ({ data }) => {
  const { number, module, hold, release, ask } = data;
  try {
    if (module) engine = startEngine(module, listen);
    if (hold) engine.hold(hold.name, new Uint8Array(hold.bytes));
    if (release) engine.release(release);
    const answer = ask ? engine.ask(ask) : null;
    postMessage({ number, answer }, answer instanceof Uint8Array ? [answer.buffer] : []);
  } catch (error) {
    postMessage({ number, error: { text: error.message, hint: error.hint, broken: error.broken ?? true } });
  }
};
