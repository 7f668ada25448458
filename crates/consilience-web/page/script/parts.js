// What several parts of the page share: messages, and files that are taken away.

/** What went wrong, and what to do. */
function problem(error) {
  return make(
    "div",
    { class: "problem", role: "alert" },
    make("p", {}, prose(error.text ?? String(error.message ?? error))),
    error.hint && make("p", { class: "hint" }, "What to do: ", prose(error.hint), "."),
  );
}

const sentences = (told, kind) =>
  told.map(({ text, hint }) => make("p", { class: kind }, prose(text), hint ? [" (", prose(hint), ")"] : ""));

function save(name, bytes, type = "application/octet-stream") {
  const dot = name.lastIndexOf(".");
  saveFile(name.slice(0, dot), name.slice(dot + 1), new Blob([bytes], { type }));
}

const button = (title, act, more = {}) => make("button", { type: "button", on: { click: act }, ...more }, title);

/** A control with its name before it, and a sentence about it below. */
const field = (title, control, about) =>
  make("label", { class: "field" }, make("span", { class: "title" }, title), control, about && make("small", { class: "muted" }, about));

/** A list to choose from: `options` are [value, title]. */
const select = (options, chosen, act, more = {}) =>
  make(
    "select",
    { on: { change: (event) => act?.(event.target.value) }, ...more },
    options.map(([value, title]) => make("option", { value, selected: value === chosen }, title)),
  );

/** A place for files: dropped on it, or chosen. */
function dropZone(id, title, about, take) {
  const input = make("input", { type: "file", multiple: true, id: `${id}-input`, class: "quiet", on: { change: () => (take([...input.files]), (input.value = "")) } });
  const zone = make(
    "label",
    {
      class: "drop",
      id: `${id}-drop`,
      for: `${id}-input`,
      on: {
        dragover: (event) => (event.preventDefault(), zone.classList.add("over")),
        dragleave: () => zone.classList.remove("over"),
        drop: (event) => {
          event.preventDefault();
          zone.classList.remove("over");
          take([...event.dataTransfer.files]);
        },
      },
    },
    make("strong", {}, title),
    make("span", { class: "muted" }, about),
  );
  return [input, zone];
}

/** What happens while the engine works: the part, how far it is, how long that still takes; and a button that stops it. */
class Working {
  static STAGES = ["Checking and scaling", "Choosing the number of clusters", "Comparing samples", "Solving", "Assigning clusters", "Examining the result"];

  constructor(title) {
    this.since = performance.now();
    this.bar = make("progress", { max: "1", "aria-label": "progress" });
    this.text = make("span", { role: "status" }, title);
    this.element = make("div", { class: "working" }, this.text, this.bar, button("Stop", () => engine.stop(), { class: "stop" }));
    engine.listen = (news) => this.heard(news);
  }

  heard({ stage, done, total }) {
    if (stage !== undefined) {
      this.stage = Working.STAGES[stage];
      this.since = performance.now();
      this.bar.removeAttribute("value");
      this.text.textContent = this.stage;
      return;
    }
    if (!total) return;
    this.bar.value = done / total;
    const seconds = ((performance.now() - this.since) / 1000) * (total / Math.max(done, 1) - 1);
    this.text.textContent = this.stage + (done > 0 && done < total ? `: about ${duration(Math.max(1, Math.round(seconds)))} left` : "");
  }

  static async during(place, title, act) {
    const working = new Working(title);
    place.replaceChildren(working.element);
    try {
      const answer = await act();
      place.replaceChildren();
      return answer;
    } catch (error) {
      place.replaceChildren(problem(error));
      error.shown = true;
      throw error;
    }
  }
}
