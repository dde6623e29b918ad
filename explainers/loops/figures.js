/* The figures of the beats, by the names that page.md gives them. */
export {
  borrowFigure as borrow,
  draftsFigure as drafts,
  loopsFigure as loops,
  mixingFigure as mixing,
} from "./beats.js";
