/* A number of the plan -> how it came to be: [title, [formula with the values in it, ...], a plain sentence]. */

export { part, sequences, total } from "./memory-formulas.js";
export { bound, flops, idle, measured, speed, sum, talk, term, waits } from "./time-formulas.js";
