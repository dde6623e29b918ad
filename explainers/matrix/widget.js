/* The lab with every quantizer, workers and the reader's own slice. Where it is embedded as one file it is embedded.js alone. */

import { add_kinds } from "./kinds.js";
import { extras } from "./lab.js";
import { own_slice } from "./own.js";
import { make_pool } from "./pool.js";

export { check, compute } from "./compute.js";
export { default } from "./embedded.js";

add_kinds();
Object.assign(extras, { own_slice, make_pool });
