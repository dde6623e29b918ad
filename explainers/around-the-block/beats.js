/* Twin of beats.py: answers, goals and figures of the beats; the page alone loads it. */
const answers = {
  saver: (state) => {
    const plain = { ...state, norm: "pre", parallel: false };
    const each = [{ gate: "numbers" }, { norm: "sandwich" }, { parallel: true }].map((one) => cost_of({ ...plain, ...one }).meetings);
    return each.indexOf(Math.min(...each));
  },
  louder: (state) => {
    const { gain } = mixing_of(state);
    return 0.05 > Math.abs(gain - 1) ? 1 : 0.5 > gain ? 2 : 0;
  },
};

const { fixed, percent } = kit.fmt;
const no = (says) => ({ reached: false, says });
const short_of = ({ cost }) => (40 > cost.passes ? no(`This goal is about 40 passes or more; here are ${cost.passes}.`) : null);
const goals = {
  heard_to_the_end: (state, data) => {
    const now = compute(state, data);
    const [big, heard] = [fixed(now.size, 2), percent(now.heard)];
    if (short_of(now)) return short_of(now);
    if (now.size > 2) return no(`The stream’s size is ${big} at the end.`);
    if (0.5 > now.heard) return no(`The stream’s size is ${big}, but of the embedding only ${heard} is left in it.`);
    return { reached: true, says: `Reached: size ${big}, and ${heard} of it the embedding. A half that adds less is heard, too.` };
  },
  half_of_both: (state, data) => {
    const now = compute(state, data);
    const says = `${percent(now.share.weights)} of the weights and ${percent(now.share.kept)} of the cache`;
    if (short_of(now)) return short_of(now);
    if (now.share.weights > 0.5 || now.share.kept > 0.5) return no(`${says}, beside ${now.cost.passes} plain layers.`);
    return { reached: true, says: `Reached: ${says}. Running the same layers again saves weights alone, borrowing mostly cache.` };
  },
};

const opened = (bet) => bet === "open" || bet === "placed";
const figure = (make) => (el) => {
  const view = make();
  el.append(...view.el);
  return { update: (state, now, { bet }) => view.update(kit.joined(state, now), opened(bet)) };
};
const scoresFigure = figure(scores_view);
const ceilingFigure = figure(ceiling_view);
const draftsFigure = figure(drafts_view);
const loopsFigure = figure(loops_view);
const borrowFigure = figure(borrow_view);
const mixingFigure = figure(mixing_view);
const blockFigure = (el, { onSet }) => {
  const view = block_player((layer) => onSet({ layer }));
  el.append(...view.el);
  return { update: (state, now, { bet }) => {
    view.play.el.hidden = opened(bet);
    view.update(kit.joined(state, now));
  } };
};

export const beats = {
  answers, goals,
  figures: { block: blockFigure, scores: scoresFigure, ceiling: ceilingFigure, drafts: draftsFigure, loops: loopsFigure, borrow: borrowFigure, mixing: mixingFigure },
};
