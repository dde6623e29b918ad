/* The figures of the beats, by the names that page.md gives them. */
export {
  blendFigure as blends,
  blocksFigure as blocks,
  costsFigure as costs,
  fixedFigure as fixed,
  indexFigure as indexer,
  weightsFigure as weights,
} from "./beats.js";
