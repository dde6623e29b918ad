/* In a frame: tell the page around it how tall this page is, whenever that changes, and when it asks. A browser draws no
   frame that is far off the screen: until then a widget's height is not known, and nothing is told. */
if (parent !== window) {
  const { name, widget } = document.querySelector("[data-name]").dataset;
  const root = document.documentElement;
  let known = !widget, height = 0;
  /* A bar takes width, which makes text taller, which keeps the bar (Firefox): while all is seen, there is none. */
  const bars = () => { root.style.scrollbarWidth = innerHeight >= height ? "none" : ""; };
  const tell = () => {
    if (!known || !innerWidth) return;
    height = Math.ceil(root.getBoundingClientRect().height);
    bars();
    parent.postMessage({ cutaway: name, height }, "*");
  };
  new ResizeObserver(() => { known = true; tell(); }).observe(document.body);
  addEventListener("resize", bars);
  addEventListener("message", ({ data, source }) => { if (source === parent && data?.cutaway === "height") tell(); });
  tell();
}
