/* A finger or a mouse on the lanes of a track -> the place of the cursor under it. */

import * as hover from "./hover.js";

/** @import { Track } from "./types.d.ts" */

/**
 * A finger on the lanes.
 * @param {HTMLElement} field
 * @param {Track} track
 * @param {(seconds: number, i: number) => void} go
 */
export const drag = (field, track, go) => {
  /** @param {PointerEvent} event */
  const place = (event) => {
    const box = field.getBoundingClientRect();
    const x = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    let [low, high] = [0, track.last];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (track.x(middle) > x) high = middle;
      else low = middle;
    }
    return { low, near: x - track.x(low) > track.x(high) - x ? high : low };
  };
  /** @param {PointerEvent} event */
  const to = (event) => {
    const { near } = place(event);
    go(track.seconds(near), near);
  };
  hover.listen(field, track, (event) => place(event).low);
  field.addEventListener("pointerdown", (event) => {
    if (/** @type {Element} */ (event.target).closest("button")) return;
    field.setPointerCapture(event.pointerId);
    to(event);
    field.addEventListener("pointermove", to);
    const end = () => field.removeEventListener("pointermove", to);
    for (const kind of ["pointerup", "pointercancel"]) field.addEventListener(kind, end, { once: true });
  });
};
