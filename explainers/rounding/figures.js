/* The figures of the beats, by the names that page.md gives them. */
export {
  drawsFigure as draws,
  errorsFigure as errors,
  modesFigure as modes,
  pathsFigure as paths,
  sumsFigure as sums,
} from "./beats.js";
