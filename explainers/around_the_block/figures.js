/* The figures of the beats, by the names that page.md gives them. */
export {
  blockFigure as block,
  borrowFigure as borrow,
  ceilingFigure as ceiling,
  draftsFigure as drafts,
  loopsFigure as loops,
  mixingFigure as mixing,
  scoresFigure as scores,
} from "./beats.js";
