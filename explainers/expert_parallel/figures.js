/* The figures of the beats, by the names that page.md gives them. */
export { foldFigure as fold, loadsFigure as loads, mapFigure as map, spreadFigure as spread } from "./beats.js";
