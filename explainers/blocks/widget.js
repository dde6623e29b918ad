/* The lab with every scheme. Where it is embedded as one file it is embedded.js alone, with the schemes of `lab_data`. */
import { add_searched } from "./searched.js";

export { compute } from "./compute.js";
export { default } from "./embedded.js";
export { check } from "./legal.js";

add_searched();
