/* The figures of the beats, by the names that page.md gives them. */
export {
  cardsFigure as cards,
  chartFigure as chart,
  crowdFigure as crowd,
  gatesFigure as gates,
  looksFigure as looks,
  priceFigure as price,
  tableFigure as table,
} from "./beats.js";
