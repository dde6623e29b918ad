/* Time: kit.transport turns a length into play, step and scrub; change over time only, and always stoppable.
   `format(t)` is what is said of a moment, once: beside the slider and to a screen reader. `print(node, t)` puts it there
   bound (kit.put, kit.fill), where it holds numbers. kit.steady holds the words of all steps in one place, so that what
   stands below never moves: { el, update(texts, index) }. */
kit.still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

kit.transport = ({ label, length, value = 0, rate = 2, format = (t) => String(Math.floor(t)), print = (node, t) => kit.text(node, format(t)), onFrame, onStop }) => {
  let at = value;
  let end = length;
  let ticket = 0;
  const button = (name, glyph, onClick) => kit.h("button", { type: "button", class: "cw-button", "aria-label": name, text: glyph, on: { click: onClick } });
  const range = kit.h("input", { type: "range", min: 0, max: end, step: 1, "aria-label": label });
  const out = kit.h("output", { class: "cw-mono" });
  const show = (t) => {
    at = Math.max(0, Math.min(end, t));
    kit.set(range, { value: String(Math.floor(at)), "aria-valuetext": format(at), style: { "--at": `${end ? (100 * at) / end : 0}%` } });
    print(out, at);
  };
  const draw = (t) => { show(t); onFrame(at); };
  const playing = () => ticket !== 0;
  const stop = () => {
    if (!playing()) return;
    cancelAnimationFrame(ticket);
    ticket = 0;
    kit.set(play, { "aria-label": "Play", text: "▶" });
    if (onStop) onStop(at);
  };
  const go = (t) => {
    const was = playing();
    if (was) stop();
    draw(t);
    if (onStop) onStop(at);
  };
  const start = () => {
    if (at >= end) draw(0);
    kit.set(play, { "aria-label": "Pause", text: "❚❚" });
    const from = at;
    let zero = 0;
    const frame = (now) => {
      zero = zero || now;
      const t = from + ((now - zero) / 1000) * rate;
      const shown = kit.still() ? Math.floor(t) : t;
      if (shown !== at) draw(shown);
      if (at >= end) { stop(); return; }
      ticket = requestAnimationFrame(frame);
    };
    ticket = requestAnimationFrame(frame);
  };
  const play = button("Play", "▶", () => (playing() ? stop() : start()));
  const back = button("Step back", "|◀", () => go(Math.ceil(at) - 1));
  const next = button("Step forward", "▶|", () => go(Math.floor(at) + 1));
  range.addEventListener("input", () => go(Number(range.value)));
  const el = kit.h("div", { class: "cw-transport", role: "group", "aria-label": label }, back, play, next, kit.h("span", { class: "cw-track" }, range), out);
  el.addEventListener("keydown", (e) => {
    if (e.key !== " " || e.target !== range) return;
    e.preventDefault();
    play.click();
  });
  show(value);
  return { el, set: (t) => { if (!playing() && t !== at) draw(t); }, length: (n) => { end = n; kit.set(range, { max: n }); show(at); }, stop, playing };
};

/* One line of words at a time, as high as the highest of them needs: what stands below stays where it is. */
kit.steady = (attrs = {}) => {
  const el = kit.h("p", { ...attrs, class: `cw-steady ${attrs.class || ""}`.trim() });
  const update = (texts, index) => kit.list(el, texts, () => kit.h("span"), (node, words, i) => kit.set(node, { text: words, class: i === index ? "on" : false }));
  return { el, update };
};
