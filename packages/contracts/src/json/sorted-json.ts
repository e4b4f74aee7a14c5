/**
 * Returns a value as JSON with the members of objects in one fixed order, so that equal values
 * have equal texts. Unlike RFC 8785, also accepts text that contains an unpaired surrogate.
 */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_name, each) => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
