/* The lab with both models that run in it. Where it is embedded as one file it is embedded.js alone, with the stored run. */
import { addRuntime } from "./runtime.js";

export { check, compute } from "./compute.js";
export { default } from "./embedded.js";

addRuntime();
