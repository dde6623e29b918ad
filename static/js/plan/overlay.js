/* A track and a place -> the drawing above: activations as they are now, links on which something travels, what is read. */

import { s, setAttrs, setText } from "../../../explainers/kit/dom.js";
import * as tracks from "./tracks.js";
import * as words from "./words.js";

/* The activations of now, in the stacks: made once a drawing. */
const stacks = (drawing) => {
  const found = [];
  for (const peak of drawing.querySelectorAll(".st-activations")) {
    const stage = Number(peak.closest("[data-stage]")?.dataset.stage || 0);
    const [y, height] = [Number(peak.getAttribute("y")), Number(peak.getAttribute("height"))];
    const rect = s("rect", {
      class: "st-now",
      x: peak.getAttribute("x"),
      width: peak.getAttribute("width"),
      height: 0,
    });
    peak.after(rect);
    found.push({ stage, rect, bottom: y + height, height });
  }
  for (const text of drawing.querySelectorAll("[data-now]"))
    found.push({ stage: Number(text.closest("[data-stage]")?.dataset.stage || 0), text });
  return found;
};

const train = (track, i, parts) => {
  const moment = track.moment(i);
  for (const { stage, rect, text, bottom, height } of parts.stacks) {
    const bytes = tracks.saved(track, stage, tracks.at(track, stage, moment).held);
    const most = track.now.plan.ranks[stage].activations_bytes;
    const high = rect && most ? (height * bytes) / most : 0;
    if (rect) setAttrs(rect, { y: bottom - high, height: high });
    else setText(text, text.dataset.now === "number" ? words.gb(bytes) : "at the cursor");
  }
  const sends = new Set(tracks.sends(track, moment).map(([, from, to]) => `${from} ${to}`));
  for (const { link, from, to } of parts.links) {
    link.classList.toggle("sends", sends.has(`${from} ${to}`));
    link.classList.toggle("sends-back", sends.has(`${to} ${from}`));
  }
  const busy = (stage) => Boolean(tracks.at(track, stage, moment).op);
  for (const { packet, axis, stage } of parts.fans)
    packet.classList.toggle("on", busy(stage) && !["dp", "edp"].includes(axis));
  for (const { band } of parts.bands)
    band.classList.toggle("band-on", busy(0) && !["dp", "edp"].includes(words.role(band.dataset.axis)));
};

/* In the middle of a line of the fan: seen while its ranks meet. */
const packet = (line, stage) => {
  const middle = (a, b) => (Number(line.getAttribute(a)) + Number(line.getAttribute(b))) / 2;
  const packet = s("circle", { class: "packet", cx: middle("x1", "x2"), cy: middle("y1", "y2"), r: 2 });
  line.after(packet);
  return { packet, stage, axis: /line-(\w+)/.exec(line.getAttribute("class"))[1] };
};

const READS = { cache: ["st-cache", "st-copy"], weights: ["st-weights"], experts: ["st-experts"] };
const serve = (track, i, parts) => {
  const slot = track.slots[i];
  for (const { band } of parts.bands) band.classList.toggle("band-on", slot?.axis === band.dataset.axis);
  for (const { link, from } of parts.links) link.classList.toggle("sends", slot?.axis === "pp" && slot.stage === from);
  for (const { packet, axis, stage } of parts.fans)
    packet.classList.toggle("on", slot?.stage === stage && words.role(slot.axis) === axis);
  const lit = READS[slot && !slot.axis ? slot.what : ""] || [];
  for (const { part, stage, name } of parts.reads)
    part.classList.toggle("st-read", lit.includes(name) && slot.stage === stage);
};

/* Nothing of the drawing follows a cursor any more. */
export const off = (drawing) => {
  for (const old of drawing.querySelectorAll(".packet, .st-now")) old.remove();
  for (const text of drawing.querySelectorAll("[data-now]")) setText(text, "");
  const lit = ["sends", "sends-back", "band-on", "st-read"];
  for (const one of drawing.querySelectorAll(lit.map((name) => `.${name}`).join())) one.classList.remove(...lit);
};

/* What of a drawing follows the cursor. */
export const parts = (drawing, train) => {
  const stage = (node) => Number(node.closest("[data-stage]")?.dataset.stage || 0);
  const all = (query, make) => [...drawing.querySelectorAll(query)].map(make);
  return {
    stacks: train ? stacks(drawing) : [],
    links: all(".box-send", (link) => ({ link, from: Number(link.dataset.from), to: Number(link.dataset.to) })),
    bands: all(".band", (band) => ({ band })),
    fans: all(".ln", (line) => packet(line, stage(line))),
    reads: train
      ? []
      : Object.values(READS)
          .flat()
          .flatMap((name) => all(`rect.${name}`, (part) => ({ part, stage: stage(part), name }))),
  };
};
export const move = (track, i, parts) => (track.run ? train : serve)(track, i, parts);
