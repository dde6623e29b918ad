/* The figures of the beats, by the names that page.md gives them. */
export { blockFigure as block, ceilingFigure as ceiling, scoresFigure as scores } from "./beats.js";
