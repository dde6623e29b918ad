/* A page of /learn/ loads the explainer's own module, and says so where it does not come. */
import { gettext } from "../../explainers/kit/gettext.js";

const lab = /** @type {HTMLElement} */ (document.querySelector(".lab [data-widget]"));
import(new URL(/** @type {string} */ (lab.dataset.module), document.baseURI).href).catch((wrong) => {
  console.error(wrong);
  /** @type {HTMLElement} */ (lab.querySelector("[data-message]")).textContent = gettext(
    "The interactive part did not load; the picture shows its first state.",
  );
});
