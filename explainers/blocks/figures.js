/* The figures of the beats, by the names that page.md gives them. */
export {
  blockFigure as block,
  costFigure as cost,
  outlierFigure as outlier,
  rulesFigure as rules,
  sidesFigure as sides,
} from "./beat_figures.js";
