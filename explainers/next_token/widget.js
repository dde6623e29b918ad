/* The lab with the model that runs in it. Where it is embedded as one file it is embedded.js alone, with the first text. */
import { addRuntime } from "./runtime.js";

export { check, compute } from "./compute.js";
export { default } from "./embedded.js";

addRuntime();
