/* The figures of the beats, by the names that page.md gives them. */
export {
  batchFigure as batch,
  lookFigure as look,
  runFigure as run,
  speedFigure as speed,
  stepFigure as step,
} from "./beats.js";
