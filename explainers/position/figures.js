/* The figures of the beats, by the names that page.md gives them. */
export { dialsFigure as dials, distancesFigure as distances, wavesFigure as waves } from "./beats.js";
