/* The drawings of the beats, by the names that page.md gives them. */
export {
  fp8Figure as fp8,
  loudFigure as loud,
  mapsFigure as maps,
  scatterFigure as scatter,
  turnedFigure as turned,
} from "./beats.js";
