/* The figures of the beats, by the names that page.md gives them. */
export {
  gridFigure as grid,
  headsFigure as heads,
  lookFigure as look,
  valuesFigure as values,
  weightsFigure as weights,
} from "./beats.js";
