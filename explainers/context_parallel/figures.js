/* The figures of the beats, by the names that page.md gives them. */
export {
  cacheFigure as cache,
  chartFigure as chart,
  dealtFigure as dealt,
  ringFigure as ring,
  swapFigure as swap,
  workFigure as work,
} from "./beats.js";
