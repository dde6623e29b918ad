/* The figures of the beats, by the names that page.md gives them. */
export { layerFigure as layer, zeroFigure as zero } from "./beats.js";
