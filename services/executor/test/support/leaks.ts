import { base64Spellings, caselessSpellings } from './encodings.ts';

/**
 * Contract, "Redaction: echoes": from this many characters on, a secret is scrubbed
 * anywhere and in any case.
 */
const LONG = 16;
/** A secret of fewer characters is left. */
const SHORTEST = 6;

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** By itself: no letter, digit or `_` beside it. */
const alone = (text: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(text)}(?![\\p{L}\\p{N}_])`, 'u');

/** The spellings of a secret that a text shows and may not. */
export function leaksOf(secrets: readonly string[], text: string): string[] {
  const lower = text.toLowerCase();
  return secrets.flatMap((secret) => {
    if (secret.length < SHORTEST) return [];
    const base64 = base64Spellings(secret).filter((form) => text.includes(form));
    const forms = caselessSpellings(secret);
    if (secret.length >= LONG)
      return [...base64, ...forms.filter((form) => lower.includes(form.toLowerCase()))];
    return [...base64, ...forms].filter((form) => text.includes(form) && alone(form).test(text));
  });
}
