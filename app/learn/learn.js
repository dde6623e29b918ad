/* A page of /learn/ loads the explainer's own module, and says so where it does not come. */
const lab = /** @type {HTMLElement} */ (document.querySelector(".lab [data-widget]"));
import(new URL(/** @type {string} */ (lab.dataset.module), document.baseURI).href).catch((wrong) => {
  console.error(wrong);
  /** @type {HTMLElement} */ (lab.querySelector("[data-message]")).textContent =
    "The interactive part did not load; the picture shows its first state.";
});
