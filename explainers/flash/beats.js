/* Twin of beats.py: answers, captions, goals and figures of the beats; the page alone loads it. */
const answers = { mended: (state) => (1 > row_of(state.fifth).factor ? 1 : 2) };

const captions = {
  moved: (state, data) => {
    const now = compute(state, data);
    const [kv, l2] = [kit.fmt.bytes(now.kv), kit.fmt.bytes(now.chip.l2, "MB", 0)];
    const cache = now.kept.fits ? `K and V of this head are ${kv} and may stay in the L2 cache of ${l2}: then ${kit.fmt.bytes(now.ends)} is all.` : `K and V of this head, ${kv}, are too much for the L2 cache of ${l2}.`;
    return `**FLOP per byte come close to the rows of a tile: ${kit.fmt.int(now.tiled.intensity)} of ${state.rows}.** Past the ridge, ${kit.fmt.int(now.chip.ridge)}, a kernel is limited by arithmetic. ${cache}`;
  },
};

const no = (says) => ({ reached: false, says });
const cut_of = (state) => `${state.rows} × ${state.keys}`;
const filled = ({ sram, chip }) => `${kit.fmt.bytes(sram.total, "KB")} of ${kit.fmt.bytes(chip.sram, "KB")}`;
const goals = {
  past_ridge: (state, data) => {
    if (state.chip !== "h100_sxm") return no("This goal is about an H100.");
    const now = compute(state, data);
    const [got, ridge] = [kit.fmt.int(now.tiled.intensity), kit.fmt.int(now.chip.ridge)];
    if (!now.sram.fits) return no(`Tiles of ${cut_of(state)} do not fit: ${filled(now)}.`);
    if (now.chip.ridge >= now.tiled.intensity) return no(`Tiles of ${cut_of(state)} reach ${got} of ${ridge}, and fill ${filled(now)}. What takes the room?`);
    return { reached: true, says: `Reached with head size ${now.head.qk} and tiles of ${cut_of(state)}: ${got}. At head size 128 nothing that fits gets there.` };
  },
  under_80: (state, data) => {
    const now = compute(state, data);
    const { qk, v, window } = now.head;
    if ([state.chip, qk, v, window, state.tokens].join() !== "h100_sxm,128,128,0,8192") return no("This goal is about an H100, 8,192 tokens and a head of 128 that sees all before it.");
    if (!now.sram.fits) return no(`Tiles of ${cut_of(state)} do not fit: ${filled(now)}.`);
    const moved = kit.fmt.bytes(now.tiled.bytes);
    if (now.tiled.bytes >= 80e6) return no(`Tiles of ${cut_of(state)} move ${moved} and fill ${filled(now)}. What could be smaller?`);
    return { reached: true, says: `Reached with ${cut_of(state)}: ${moved}. No other tile that fits does it.` };
  },
};

const drawing = (make) => (el) => {
  const view = make();
  el.append(...[view.el].flat());
  return { update: (state, now, { bet }) => view.update({ ...state, ...now }, bet === "open" || bet === "placed") };
};
const squareFigure = drawing(square_view);
const piecesFigure = drawing(pieces_view);
const tilesFigure = drawing(tiles_view);
const roofFigure = drawing(roof_view);
const walkFigure = (el, { onSet }) => {
  const player = walk_player((step) => onSet({ step }));
  el.append(...player.el);
  return { update: (state, now) => player.update({ ...state, ...now }, state) };
};

export const beats = { answers, captions, goals, figures: { square: squareFigure, pieces: piecesFigure, tiles: tilesFigure, walk: walkFigure, roof: roofFigure } };
