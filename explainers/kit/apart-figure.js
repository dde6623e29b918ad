/* A beat's figure that needs files apart (apart.js): it says that they are loading, and is drawn again once they are here. */
import { h, setText } from "./dom.js";
import { withState } from "./numbers.js";

/** @import { FigureMaker } from "./beats.js" */

/**
 * How a page computes and fetches: `again` is a key that is set to what it is, so that the rest of the beat is drawn anew.
 * @typedef {{
 *   compute: (state: any, data: any) => any,
 *   load: (state: any, data: any) => void,
 *   waitingWords: (state: any, data: any) => string,
 *   whenLoaded: (fn: () => void) => unknown,
 *   again: string,
 * }} Apart
 */

/**
 * @param {Apart} page
 * @param {(el: HTMLElement) => (now: any, hide: boolean) => void} make
 * @param {string} wants the value of compute's result that is null until the files are here
 * @returns {FigureMaker<any, any, any>}
 */
export const apartFigure =
  ({ compute, load, waitingWords, whenLoaded, again }, make, wants) =>
  (el, { data, onSet }) => {
    const [box, waiting] = [h("div"), h("p", { class: "cw-note" })];
    const draw = make(box);
    el.append(box, waiting);
    /** @type {{ state: any, hide: boolean } | null} */
    let shown = null;
    /** @param {any} state @param {boolean} hide */
    const update = (state, hide) => {
      const now = withState(state, compute(state, data));
      box.hidden = !now[wants];
      waiting.hidden = !box.hidden;
      if (now[wants]) draw(now, hide);
      else {
        load(state, data);
        setText(waiting, waitingWords(state, data));
      }
    };
    whenLoaded(() => {
      if (!shown) return;
      update(shown.state, shown.hide);
      onSet({ [again]: shown.state[again] });
    });
    return {
      update: (state, _, { bet }) => {
        shown = { state, hide: bet === "open" || bet === "placed" };
        update(state, shown.hide);
      },
    };
  };
