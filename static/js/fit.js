/* In a frame: tell the page around it how tall this page is, whenever that changes, and when it asks. A browser draws no
   frame that is far off the screen: until then a widget's height is not known, and nothing is told. */
if (parent !== window) {
  const { name, widget } = document.querySelector("[data-name]").dataset;
  let known = !widget;
  const tell = () => {
    if (known && innerWidth) parent.postMessage({ cutaway: name, height: Math.ceil(document.documentElement.getBoundingClientRect().height) }, "*");
  };
  new ResizeObserver(() => { known = true; tell(); }).observe(document.body);
  addEventListener("message", ({ data, source }) => { if (source === parent && data?.cutaway === "height") tell(); });
  tell();
}
