/**
 * Names of cookies that hold a session or a token: `PHPSESSID` and `connect.sid`, but not
 * `sidebar` or `author`.
 */
const SECRET_NAME =
  /sess(?:ion)?(?:_?id)?(?![a-z])|(?<![a-z])sid(?![a-z])|auth(?!or(?!iz))|token|jwt|csrf|xsrf|secret|remember|passw|credential|ticket|api[-_]?key/i;

/** Names of cookies that hold what a visitor prefers. */
const PREFERENCE_NAME =
  /lang|locale|i18n|^tz$|time_?-?zone|theme|colou?r|font|layout|currency|country|region|city|consent|gdpr|banner|notice|prefer|prefs|sidebar|view|sort|page|size|width|dismiss|seen|variant|experiment/i;

/** A preference is shorter. */
const LONGEST_PREFERENCE = 24;

/**
 * The values of cookies that are secrets, as they stand, without quotes and URL-decoded
 * where that differs.
 */
export function cookieSecrets(header: string): string[] {
  return header.split(';').flatMap((pair) => {
    const separator = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, separator)).trim();
    const value = pair
      .slice(separator + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1');
    return isSecret(name, value) ? [value, ...decoded(value)] : [];
  });
}

function isSecret(name: string, value: string): boolean {
  if (SECRET_NAME.test(name)) return true;
  if (PREFERENCE_NAME.test(name) && value.length <= LONGEST_PREFERENCE) return false;
  return looksRandom(value);
}

/** The longest run of letters that is likely to be a word. */
const LONGEST_WORD = 15;

/**
 * Letters mixed with digits, or too many letters for a word: not `dark`, `de-DE`,
 * `Europe/Berlin`, `42` or `2026-01-02`.
 */
function looksRandom(value: string): boolean {
  return value.split(/[^A-Za-z0-9]+/).some((run) => {
    if (run.length > LONGEST_WORD) return true;
    return run.length >= 6 && /[A-Za-z]/.test(run) && /\d/.test(run);
  });
}

/** What frameworks make of a cookie that is URL-encoded. */
function decoded(value: string): string[] {
  if (!value.includes('%')) return [];
  return [
    value.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  ];
}
