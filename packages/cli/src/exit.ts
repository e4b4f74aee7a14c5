/** What every command ends with, so that CI can tell them apart. */
export const EXIT = {
  /** Allowed, faultless, passed, nothing looser. */
  fine: 0,
  /** Not allowed, a mistake, a failed case, a looser decision. */
  found: 1,
  /** Wrong use of the command, or a file that cannot be read. */
  unusable: 2,
} as const;
