// The engine as the page sees it: questions that wait for answers, files that are read when they are first needed, and a new
// worker where the old one was stopped or broke.

const engine = {
  worker: null,
  module: null,
  waiting: new Map(),
  numbers: 0,
  /** What the worker has, by name. */
  held: new Set(),
  /** What there is: a name and a blob. */
  files: new Map(),
  listen: () => {},

  /** Unpacks and compiles the engine once. */
  async load() {
    const packed = Uint8Array.from(atob(byId("wasm").textContent.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    byId("wasm").remove();
    this.module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
  },

  async start() {
    const address = URL.createObjectURL(new Blob([byId("worker").textContent], { type: "text/javascript" }));
    this.worker = new Worker(address);
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (event) => this.end({ text: `The engine has stopped: ${event.message}`, broken: true });
    await this.send({ module: this.module });
    URL.revokeObjectURL(address);
  },

  heard({ news, number, answer, error }) {
    if (news) return this.listen(news);
    if (error?.broken) return this.end(error);
    const { resolve, reject } = this.waiting.get(number) ?? {};
    this.waiting.delete(number);
    if (error) reject?.(error);
    else resolve?.(answer);
  },

  send(message, moved = []) {
    return new Promise((resolve, reject) => {
      const number = ++this.numbers;
      this.waiting.set(number, { resolve, reject });
      this.worker.postMessage({ number, ...message }, moved);
    });
  },

  /** Ends the worker; what waits for it hears why. The next question starts another. */
  end(error) {
    this.worker?.terminate();
    this.worker = null;
    this.held.clear();
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(error);
  },

  stop() {
    this.end({ text: "Stopped.", stopped: true });
  },

  /** Asks, when the engine has these files. */
  async ask(question, names = []) {
    if (!this.worker) await this.start();
    for (const name of names.filter((name) => !this.held.has(name) && this.files.has(name))) {
      const bytes = await this.read(name);
      await this.send({ hold: { name, bytes } }, [bytes]);
      this.held.add(name);
    }
    return this.send({ ask: question });
  },

  async read(name) {
    try {
      return await this.files.get(name).arrayBuffer();
    } catch (error) {
      throw { text: `\`${name}\` cannot be read: ${error.message}`, hint: "Was it moved or changed? Drop it again." };
    }
  },

  add(name, blob) {
    this.files.set(name, blob);
    this.held.delete(name);
  },

  async remove(name) {
    this.files.delete(name);
    if (this.held.delete(name) && this.worker) await this.send({ release: name });
  },
};
