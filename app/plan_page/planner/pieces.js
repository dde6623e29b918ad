/* The columns of a piece of a sheet, which is one tensor or several alike, and the name of the embedding's table. */

export const TABLE = "model.embed_tokens.weight";

/* The columns of a piece of a sheet. */
export const NAME = 0;

export const SHAPE = 1;

export const PART = 2;

export const NUMBERS = 3;

export const BYTES = 4;

export const RULE = 5;

export const MATRIX = 6;
