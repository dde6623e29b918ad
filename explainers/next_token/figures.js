/* The figures of the beats, by the names that page.md gives them. */
export {
  cacheFigure as cache,
  candidatesFigure as candidates,
  lookFigure as look,
  samplesFigure as samples,
  tokensFigure as tokens,
} from "./beats.js";
