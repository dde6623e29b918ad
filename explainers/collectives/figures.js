/* The figures of the beats, by the names that page.md gives them. */
export { chartFigure as chart, runFigure as run } from "./beats.js";
