/* The figures of the beats, by the names that page.md gives them. */
export { curveFigure as curve, maskFigure as mask, stackFigure as stack } from "./beats.js";
