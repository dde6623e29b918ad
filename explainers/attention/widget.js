/* The lab with the model that runs a text of one's own in it. Where it is embedded as one file it is embedded.js alone. */
import { addRuntime } from "../next_token/runtime.js";

export { check, compute } from "./compute.js";
export { default } from "./embedded.js";

addRuntime();
