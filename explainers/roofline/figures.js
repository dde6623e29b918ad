/* The figures of the beats, by the names that page.md gives them. */
export {
  bothFigure as both,
  climbFigure as climb,
  expertsFigure as experts,
  promptFigure as prompt,
  readsFigure as reads,
  tokenFigure as token,
} from "./beats.js";
