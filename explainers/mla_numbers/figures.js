/* The figures of the beats, by the names that page.md gives them. */
export {
  carryFigure as carry,
  circuitsFigure as circuits,
  gpusFigure as gpus,
  growFigure as grow,
  unpackFigure as unpack,
  waysFigure as ways,
} from "./beats.js";
