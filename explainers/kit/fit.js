/* In a frame: the height of this page -> a message to the page around it, whenever the height changes and when that page
   asks. A browser draws no frame that is far off the screen: until then a widget's height is not known, and nothing is told. */
if (parent !== window) {
  const { name, widget } = /** @type {HTMLElement} */ (document.querySelector("[data-name]")).dataset;
  const root = document.documentElement;
  let known = !widget;
  let height = 0;
  /* A bar takes width, which makes text taller, which keeps the bar (Firefox): while all is seen, there is none. */
  const bars = () => {
    root.style.scrollbarWidth = innerHeight >= height ? "none" : "";
  };
  const tell = () => {
    if (!known || !innerWidth) return;
    height = Math.ceil(root.getBoundingClientRect().height);
    bars();
    parent.postMessage({ cutaway: name, height }, "*");
  };
  new ResizeObserver(() => {
    known = true;
    tell();
  }).observe(document.body);
  addEventListener("resize", bars);
  addEventListener("message", ({ data, source }) => {
    if (source === parent && data?.cutaway === "height") tell();
  });
  tell();
}
