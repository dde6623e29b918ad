/* The figures of the beats, by the names that page.md gives them. */
export {
  costsFigure as costs,
  forgetFigure as forget,
  halvesFigure as halves,
  keepFigure as keep,
  twiceFigure as twice,
} from "./beats.js";
