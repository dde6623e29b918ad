/* The figures of the beats, by the names that page.md gives them. */
export { entries, hybrid, indexer, past, windows } from "./beats.js";
