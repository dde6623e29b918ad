/* The lab with every quantizer and the reader's own slice. Where it is embedded as one file it is embedded.js alone. */
import { codec } from "../blocks/codec.js";
import { four_over_six } from "../blocks/four_over_six.js";
import { q8_0 } from "../blocks/grids.js";
import { iq4_nl, q6_k } from "../blocks/super_blocks.js";
import { extras } from "./embedded.js";
import { own_slice } from "./own.js";

export { check, compute } from "./compute.js";
export { default } from "./embedded.js";

Object.assign(codec.kinds, { four_over_six, iq4_nl, q6_k, q8_0 });
Object.assign(extras, { own_slice });
