/* The figures of the beats, by the names that page.md gives them. */
export {
  piecesFigure as pieces,
  roofFigure as roof,
  squareFigure as square,
  tilesFigure as tiles,
  walkFigure as walk,
} from "./beats.js";
