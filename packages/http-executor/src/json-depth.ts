/** Bodies nested deeper are refused on both sides: recursive readers overflow their stack. */
export const MAX_JSON_DEPTH = 256;
