/* The drawings of the beats, by the names that page.md gives them. */
export {
  awqFigure as awq,
  channelsFigure as channels,
  schemesFigure as schemes,
  smoothFigure as smooth,
  stepsFigure as steps,
} from "./beats.js";
