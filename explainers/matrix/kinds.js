/* The quantizers that the lab as a single file has no room for. */
import { codec } from "../blocks/codec.js";
import { four_over_six } from "../blocks/four_over_six.js";
import { q8_0 } from "../blocks/grids.js";
import { iq4_nl, q6_k } from "../blocks/super_blocks.js";

/** Adds them to those that are always there. */
export const add_kinds = () => Object.assign(codec.kinds, { four_over_six, iq4_nl, q6_k, q8_0 });
