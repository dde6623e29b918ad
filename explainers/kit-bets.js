/* The instruments a bet is placed with: bar, line, curve and pick. The drawing is in the page already (beats_tools.py);
   a tool adds a range input or radios over it, and moves the guess and the answer.

   tools[kind](section, bet, { kit, ask, place }) -> { focus(), update({ open, shown, index, guess, answer, same, say, heights }) }
   place(index) is called when the reader sets a guess (both ends: [index, index], null where not placed yet); same: the figure stands in the state that the bet asked about. */
const bets = {};

bets.short = (text) => text.replace(/\.0+(?=\D|$)/, "");
bets.words = (kit, bet, value, brief) => {
  if (Array.isArray(value)) return `${bets.words(kit, { ...bet, unit: "" }, value[0], brief)} to ${bets.words(kit, bet, value[1], brief)}`;
  const text = kit.print(value, bet.format);
  return (brief ? bets.short(text) : text) + (bet.unit ? ` ${bet.unit}` : "");
};
bets.at = (bet, value) => { // words ("none of its 32") lie beyond the scale
  if (typeof value === "string") return 1;
  const share = bet.log ? Math.log(Math.max(value, bet.low) / bet.low) / Math.log(bet.high / bet.low) : (value - bet.low) / (bet.high - bet.low);
  return Math.min(1, Math.max(0, share));
};
bets.nearest = (bet, share) => bet.values.reduce((best, v, i) => (Math.abs(bets.at(bet, v) - share) < Math.abs(bets.at(bet, bet.values[best]) - share) ? i : best), 0);

/* Labels as they are on the screen: none leaves the column, and of two that would lie on one another the guess's goes:
   the verdict says it too. All are measured before anything is moved. */
bets.settle = (kit, ...labels) => { // the guess's, the answer's beside it, and others
  const [limit, ...boxes] = [labels[0].closest(".bet-tool"), ...labels].map((one) => one.getBoundingClientRect());
  const [a, b] = boxes.map(({ left, right, width }, i) => {
    const by = width && Math.max(limit.left - left, 0) + Math.min(limit.right - right, 0);
    if (by) kit.set(labels[i], { dx: Number(labels[i].getAttribute("dx")) + by });
    return width && [left + by, right + by];
  });
  if (a && b && b[1] + 6 > a[0] && a[1] + 6 > b[0]) kit.text(labels[0], "");
};

/* How far off: ratio on log scales and for bars, difference on linear ones; within a tenth it is close. */
bets.far = (kit, bet, guess, answer) => {
  if (bets.words(kit, bet, guess) === bets.words(kit, bet, answer)) return { near: true, text: "exactly" };
  if (Array.isArray(answer)) return bets.both(kit, bet, guess, answer);
  if (typeof answer === "string") return null;
  const off = Math.abs(answer - guess);
  const more = answer > guess;
  if (!bet.ratio || guess <= 0 || answer <= 0) {
    return { near: Math.abs(answer) / 10 >= off, text: `${bets.words(kit, { ...bet, unit: "" }, off, true)} ${more ? "more" : "less"}` };
  }
  const times = more ? answer / guess : guess / answer;
  return { near: 1.1 >= times, text: `${times >= 10 ? kit.fmt.int(times) : kit.fmt.fixed(times, 1)} times ${more ? "more" : "less"}` };
};
/* Of a bar with two ends: each end's difference; close is a tenth of its length. */
bets.both = (kit, bet, guess, answer) => {
  const off = answer.map((one, i) => one - guess[i]);
  const words = off.map((one) => (one ? `${bets.words(kit, bet, Math.abs(one), true)} ${one > 0 ? "higher" : "lower"}` : "where you said"));
  return { near: off.every((one) => (answer[1] - answer[0]) / 10 >= Math.abs(one)), text: `which begins ${words[0]} and ends ${words[1]}` };
};

const pct = (share) => `${Number((100 * share).toFixed(3))}%`;

/* A range input over the drawing: arrows one tick, Page keys ten. `end` and `name` where there are two of them:
   one that is not placed is parked beyond its end of the scale. */
const slider = (bet, { kit, ask }, set, end = 0, name = "") => {
  const top = bet.values.length - 1;
  const id = kit.uid("bet");
  const named = name ? { id, "aria-label": name, "aria-labelledby": `${ask} ${id}`, "data-end": end } : { "aria-labelledby": ask };
  const input = kit.h("input", { type: "range", class: "bet-input", min: end - 1, max: top + end, ...named });
  const go = (index) => set(Math.min(top, Math.max(0, index)));
  input.addEventListener("input", () => go(Number(input.value)));
  input.addEventListener("keydown", (e) => {
    const ticks = { PageUp: 10, PageDown: -10 }[e.key];
    if (!ticks) return;
    e.preventDefault();
    go(Number(input.value) + ticks);
  });
  const update = (open, index) => {
    kit.set(input, { value: String(index ?? (end ? top + 1 : -1)), disabled: !open, "aria-valuetext": index === null ? "not placed yet" : bets.words(kit, bet, bet.values[index], true) });
    input.hidden = !open;
  };
  return { input, update };
};

/* The pointer drags anywhere along the axis: grab(x, y) is the input that moves, or nothing. */
const dragged = (area, kit, grab, go) => {
  let from = null;
  let input = null;
  kit.drag(area, {
    start: (x, y) => {
      [from, input] = [[x, y], grab(x, y)];
      if (!input || input.disabled) return false;
      input.focus();
      return true;
    },
    move: (x, y, e) => {
      if (e.type === "pointerdown" ? e.target.closest(".bet-handle") : 4 > Math.hypot(x - from[0], y - from[1])) return;
      from = [-99, -99];
      go(x, y, input);
    },
  });
};

const ranged = (section, bet, hooks, shareOf, wanted) => {
  const area = section.querySelector(".bet-area");
  const { input, update } = slider(bet, hooks, hooks.place);
  dragged(area, hooks.kit, (x, y) => wanted(x, y, area) && input, (x, y) => hooks.place(bets.nearest(bet, shareOf(x, y, area))));
  area.append(input);
  return (open, index) => { update(open, index); return input; };
};
const sideways = (x, _, area) => x / area.clientWidth;
const found = (section, names) => Object.fromEntries(names.map((name) => [name, section.querySelector(`.bet-${name}`)]));

/* A bar with two ends: [index, index], where null is an end that is not placed; neither passes the other. */
const two_ends = (section, bet, hooks) => {
  const { kit } = hooks;
  const area = section.querySelector(".bet-area");
  const part = found(section, ["guess", "answer", "yours"]);
  const [handles, values] = [".bet-handle", ".bet-value"].map((css) => [...section.querySelectorAll(css)]);
  let at = [null, null];
  const move = (end, index) => hooks.place(at.map((other, i) => (i !== end ? other : end ? Math.max(index, at[0] ?? 0) : Math.min(index, at[1] ?? index))));
  const ends = ["where it begins", "where it ends"].map((name, end) => slider(bet, hooks, (index) => move(end, index), end, name));
  const shares = () => at.map((index, end) => (index === null ? [0.035, 0.965][end] : bets.at(bet, bet.values[index])));
  const grab = (x) => {
    const [low, high] = shares().map((share) => share * area.clientWidth);
    return ends[x - low > high - x || (low === high && x > low) ? 1 : 0].input;
  };
  dragged(area, kit, grab, (x, y, input) => move(Number(input.dataset.end), bets.nearest(bet, x / area.clientWidth)));
  area.append(...ends.map((one) => one.input));
  const update = ({ open, index, guess, answer }) => {
    at = index || [null, null];
    ends.forEach((one, end) => one.update(open, at[end]));
    const [low, high] = shares();
    const [from, to] = answer.map((one) => bets.at(bet, one));
    handles.forEach((handle, end) => { handle.style.display = open ? "" : "none"; kit.set(handle, { x: pct([low, high][end]) }); });
    part.guess.style.display = open || guess ? "" : "none";
    kit.set(part.guess, { x: pct(low), width: pct(high - low) });
    kit.set(part.answer, { x: pct(from), width: pct(to - from) });
    values.forEach((value, end) => kit.set(value, { x: pct([from, to][end]), text: open ? "" : bets.words(kit, bet, answer[end]) }));
    kit.set(part.yours, { x: pct((low + high) / 2), dx: false });
    kit.text(part.yours, guess ? `your bet ${bets.words(kit, bet, guess, true)}` : open ? "drag both ends" : "");
    bets.settle(kit, part.yours);
  };
  return { focus: () => { ends[0].update(true, null); ends[0].input.focus(); }, update };
};

bets.tools = {};

bets.tools.bar = (section, bet, hooks) => {
  if (Array.isArray(bet.answer)) return two_ends(section, bet, hooks);
  const { kit } = hooks;
  const range = ranged(section, bet, hooks, sideways, () => true);
  const part = found(section, ["guess", "answer", "value", "yours", "handle", "bracket"]);
  const [others, amounts] = [[...section.querySelectorAll(".bet-beside")], [...section.querySelectorAll(".bet-number")]];
  const update = ({ open, index, guess, answer, same, heard, beside }) => {
    range(open, index);
    others.forEach((rect, i) => {
      const end = bets.at(bet, beside[i]);
      kit.set(rect, { width: pct(end) });
      kit.set(amounts[i], { x: pct(end), dx: end > 0.75 ? -10 : 10, class: `bet-number${end > 0.75 ? " end" : ""}` });
    });
    const [g, a] = [guess === null ? 0.035 : bets.at(bet, guess), bets.at(bet, answer)];
    const near = 0.3 > Math.abs(g - a);
    part.handle.style.display = open ? "" : "none";
    part.guess.style.display = open || guess !== null ? "" : "none";
    kit.set(part.handle, { x: pct(g) });
    kit.set(part.guess, { width: pct(g) });
    kit.set(part.answer, { width: pct(a) });
    const inside = a > 0.3;
    kit.set(part.value, { x: pct(a), dx: inside ? -14 : 10, class: `bet-value${inside ? " end on" : ""}`, text: open ? "" : bets.words(kit, bet, answer) });
    const flip = g > 0.6;
    kit.set(part.yours, { x: pct(g), dx: (open ? 22 : 12) * (flip ? -1 : 1), class: `bet-yours${flip ? " end" : ""}${!open && a > g ? " on" : ""}` });
    kit.text(part.yours, guess === null ? (open ? "drag this edge to where it ends" : "") : !open && near ? "" : `your bet ${bets.words(kit, bet, guess, true)}`);
    bets.bracket(kit, part.bracket, g, a, !open && same && guess !== null && heard);
    bets.settle(kit, part.yours, part.value, part.bracket.lastChild);
  };
  return { focus: () => range(true, null).focus(), update };
};

bets.tools.line = (section, bet, hooks) => {
  const { kit } = hooks;
  const range = ranged(section, bet, hooks, sideways, (_, y) => 76 > y);
  const part = found(section, ["span", "answer", "value", "yours", "handle"]);
  const update = ({ open, index, guess, answer }) => {
    range(open, index);
    const [g, a] = [guess === null ? 0 : bets.at(bet, guess), bets.at(bet, answer)];
    part.handle.style.display = open || guess !== null ? "" : "none";
    kit.set(part.handle, { x: guess === null ? "-34" : pct(g), class: `bet-handle${open ? "" : " still"}` });
    kit.set(part.answer, { cx: pct(a) });
    kit.set(part.span, { x1: pct(guess === null ? a : g), x2: pct(a) });
    const right = guess === null || a >= g;
    const side = (share, after) => (0.12 > share ? "start" : share > 0.88 ? "end" : guess === null || open ? "middle" : after ? "start" : "end");
    kit.set(part.value, { x: pct(a), dx: false, class: `bet-value ${side(a, right)}`, text: open ? "" : bets.words(kit, bet, answer) });
    kit.set(part.yours, { x: guess === null ? "-48" : pct(g), dx: false, class: `bet-yours ${guess === null ? "start" : side(g, !right)}` });
    const crowded = !open && 0.2 > Math.abs(a - g) && (0.2 > Math.min(a, g) || Math.max(a, g) > 0.8);
    kit.text(part.yours, guess === null ? (open ? "drag me onto the line" : "") : crowded ? "" : `your bet: ${bets.words(kit, bet, guess, true)}`);
    bets.settle(kit, part.yours, part.value);
  };
  return { focus: () => range(true, null).focus(), update };
};

bets.tools.curve = (section, bet, hooks) => {
  const { kit } = hooks;
  const [top, high, n] = [24, 210, bet.at.length];
  const y = (value) => top + high * (1 - bets.at(bet, value));
  const range = ranged(section, bet, hooks, (_, at) => 1 - (at - top) / high, (x, _, area) => x / area.clientWidth > (n - 1.2) / n);
  const part = found(section, ["answer", "value", "yours", "handle", "reach"]);
  const [joins, points] = [[...section.querySelectorAll(".bet-join")], [...section.querySelectorAll(".bet-point, .bet-answer")]];
  const update = ({ open, index, guess, heights }) => {
    range(open, index);
    heights.forEach((h, i) => {
      kit.set(points[i], { cy: y(h) });
      if (i) kit.set(joins[i - 1], { y1: y(heights[i - 1]), y2: y(h) });
    });
    const [last, before] = [heights.at(-1), heights.at(-2)];
    const end = guess === null ? top + high / 2 : y(guess);
    part.handle.style.display = open || guess !== null ? "" : "none";
    part.reach.style.display = guess === null ? "none" : "";
    kit.set(part.handle, { x: pct(guess === null ? 1 : (n - 0.5) / n), y: end, class: `bet-handle${open ? "" : " still"}` });
    kit.set(part.reach, { x1: pct((n - 1.5) / n), y1: y(before), x2: pct((n - 0.5) / n), y2: end });
    const [above, floor] = [!open && guess !== null && y(last) > end, top + high + 8]; // below the floor stands the axis
    const close = !open && guess !== null && 42 > Math.abs(y(last) - end); // too near for two labels on one side
    const low = above && y(last) + 28 > floor;
    kit.set(part.value, { y: low ? (close ? end - 18 : y(last) - 14) : y(last) + (above ? 28 : -14), text: open ? "" : bets.words(kit, bet, last) });
    const lift = above || end + 28 > floor;
    kit.set(part.yours, { y: lift ? end - 18 : end + 28, visibility: close && (low || (lift && !above)) ? "hidden" : false });
    kit.text(part.yours, guess === null ? (open ? "drag me" : "") : `your bet: ${bets.words(kit, bet, guess, true)}`);
  };
  return { focus: () => range(true, null).focus(), update };
};

bets.tools.pick = (section, bet, { kit, ask, place }) => {
  const part = found(section, ["area", "answer", "value"]);
  const group = kit.uid("bet");
  const inputs = bet.options.map((_, i) => kit.h("input", { type: "radio", name: group, on: { change: () => place(i) } }));
  const labels = bet.options.map((words, i) => kit.h("label", { class: "bet-option" }, inputs[i], kit.h("span", { text: words })));
  const box = kit.h("div", { class: "bet-options", role: "radiogroup", "aria-labelledby": ask }, labels);
  const ends = bet.cuts.length ? [0, ...bet.cuts.map((c) => bets.at(bet, c)), 1] : null;
  if (ends) kit.set(box, { style: { "--columns": ends.slice(1).map((end, i) => `minmax(0, ${(end - ends[i]).toFixed(3)}fr)`).join(" ") } });
  part.area.prepend(box);
  const update = ({ open, shown, index, answer, choice }) => {
    labels.forEach((label, i) => {
      label.classList.toggle("yours", index === i);
      label.classList.toggle("right", shown && choice === i);
      kit.set(inputs[i], { checked: index === i, disabled: !open });
    });
    if (!part.answer) return;
    const a = bets.at(bet, answer);
    kit.set(part.answer, { cx: pct(a) });
    kit.set(part.value, { x: pct(a), class: `bet-value ${0.1 > a ? "start" : a > 0.9 ? "end" : "middle"}`, text: open ? "" : bets.words(kit, bet, answer) });
  };
  return { focus: () => inputs[0].focus(), update };
};

bets.bracket = (kit, g, from, to, said) => {
  g.style.display = said && Math.abs(from - to) > 0.01 ? "" : "none";
  const [lines, text] = [g.querySelectorAll("line"), g.querySelector("text")];
  if (!said) return void kit.text(text, "");
  const [low, high] = [pct(Math.min(from, to)), pct(Math.max(from, to))];
  [[low, high], [low, low], [high, high]].forEach(([x1, x2], i) => kit.set(lines[i], { x1, x2 }));
  kit.set(text, { x: pct((from + to) / 2), dx: false, text: said, class: `bet-far ${0.12 > (from + to) / 2 ? "start" : "middle"}` });
};
