/* The figures of the beats, by the names that page.md gives them. */
export { gridFigure as grid, sentFigure as sent, timesFigure as times } from "./beats.js";
