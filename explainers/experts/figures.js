/* The figures of the beats, by the names that page.md gives them. */
export {
  eightFigure as eight,
  groupsFigure as groups,
  levellingFigure as levelling,
  loadsFigure as loads,
  routeFigure as route,
  wallFigure as wall,
} from "./beats.js";
