/* The width of a widget's root in pixels, known without a layout, and told on every change. */

/** The width of each root in pixels, known without a layout. @type {WeakMap<Element, number>} */
const widths = /* @__PURE__ */ new WeakMap();

/**
 * Takes the width of a root from the box it goes into, before anything changes: asking later would cost a layout of
 * half-built DOM.
 * @param {Element} root
 * @param {Element} box
 */
export const beginWidth = (root, box) => widths.set(root, Math.round(box.clientWidth));

/**
 * The width of a root if it is known, without a layout.
 * @param {Element} root
 */
export const knownWidth = (root) => widths.get(root);

/**
 * The width of a root in pixels; 900 while it has none. Ask this, not clientWidth, while you build.
 * @param {Element} root
 * @returns {number}
 */
export const widthOf = (root) => {
  if (!widths.get(root)) beginWidth(root, root);
  return widths.get(root) || 900;
};

/**
 * Calls with a root's width, at once and on every change of it.
 * @param {Element} root
 * @param {(width: number) => void} fn
 * @returns {() => void} stops it
 */
export const onWidth = (root, fn) => {
  let last = 0;
  const report = () => {
    const width = widths.get(root);
    if (!width || width === last) return;
    last = width;
    fn(width);
  };
  const watch = new ResizeObserver(() => {
    beginWidth(root, root);
    report();
  });
  watch.observe(root);
  widthOf(root);
  report();
  return () => watch.disconnect();
};
