import { encodingsOf } from './encodings.ts';

// Contract section 3, "Redaction: echoes".

/** From this many characters on, a secret is scrubbed anywhere. */
const LONG = 16;
/** A secret of fewer characters is left. */
const SHORTEST = 8;

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** By itself: no letter, digit or `_` beside it. */
const alone = (text: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(text)}(?![\\p{L}\\p{N}_])`, 'u');

/** The encodings of a secret that a text shows and may not. */
export function leaksOf(secrets: readonly string[], text: string): string[] {
  return secrets.flatMap((secret) => {
    if (secret.length < SHORTEST) return [];
    const shown = encodingsOf(secret).filter((form) => text.includes(form));
    return secret.length >= LONG ? shown : shown.filter((form) => alone(form).test(text));
  });
}
