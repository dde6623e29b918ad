/* The figures of the beats, by the names that page.md gives them. */
export {
  binsFigure as bins,
  cutFigure as cut,
  endingFigure as ending,
  rowFigure as row,
  valuesFigure as values,
} from "./beat_figures.js";
