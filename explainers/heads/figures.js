/* The figures of the beats, by the names that page.md gives them. */
export { fanFigure as fan, gridFigure as grid, latentFigure as latent, ranksFigure as ranks } from "./beats.js";
