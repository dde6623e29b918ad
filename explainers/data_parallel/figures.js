/* The figures of the beats, by the names that page.md gives them. */
export { cardsFigure as cards, sendsFigure as sends } from "./beats.js";
