/** Matches names such as `PHPSESSID` and `connect.sid`, but not `sidebar` or `author`. */
const SECRET_NAME =
  /sess(?:ion)?(?:_?id)?(?![a-z])|(?<![a-z])sid(?![a-z])|auth(?!or(?!iz))|token|jwt|csrf|xsrf|secret|remember|passw|credential|ticket|api[-_]?key/i;

/** Matches names of cookies that hold a preference, user name or account id, not a secret. */
const PUBLIC_NAME =
  /(?<![a-z])(?:user_?name|account_?id)$|e-?mail|lang|locale|i18n|^tz$|time_?-?zone|theme|colou?r|font|layout|currency|country|region|city|consent|gdpr|banner|notice|prefer|prefs|sidebar|view|sort|page|size|width|dismiss|seen|variant|experiment/i;

const MAX_PUBLIC_CHARS = 24;

/** Lists the secret values in a `cookie` header, without quotes. */
export function cookieSecrets(header: string): string[] {
  return header.split(';').flatMap((pair) => {
    const separator = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, separator)).trim();
    const value = pair
      .slice(separator + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1');
    return isSecretCookie(name, value) ? [value] : [];
  });
}

function isSecretCookie(name: string, value: string): boolean {
  if (SECRET_NAME.test(name)) return true;
  if (PUBLIC_NAME.test(name) && value.length <= MAX_PUBLIC_CHARS) return false;
  return looksRandom(value);
}

const MAX_WORD_CHARS = 15;

/** Detects a long run of letters and digits, or a mix such as `x7f3k9`, but not `de-DE`. */
function looksRandom(value: string): boolean {
  return value.split(/[^A-Za-z0-9]/).some((run) => {
    if (run.length > MAX_WORD_CHARS) return true;
    return run.length >= 6 && /[A-Za-z]/.test(run) && /\d/.test(run);
  });
}
