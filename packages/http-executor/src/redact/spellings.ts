import { isUtf8 } from 'node:buffer';
import { charactersOf, MIN_SECRET_LENGTH } from './secrets.ts';
import { unescapeOnce } from './unescape.ts';

/** One way in which an upstream may write a secret. */
export interface Spelling {
  readonly text: string;
  /** Found anywhere in any case (`text` is lower-case); else by itself and in its own case. */
  readonly anywhere: boolean;
  /** Set for a part of base64: the secret has to stand by itself once decoded. */
  readonly encoded?: EncodedPart;
}

export interface EncodedPart {
  readonly secret: string;
  /** Characters of the first group of four before the part. */
  readonly skipped: number;
}

/** A secret of this length is found anywhere; a shorter one would be part of other words. */
const ANYWHERE_LENGTH = 16;

/**
 * The spellings of a secret (UTF-8 bytes in latin1): as it is, in the other one of UTF-8
 * and latin1, as a form, as a number, in base64 and base64url. The search undoes escapes.
 */
export function spellingsOf(secret: string): Spelling[] {
  const anywhere = charactersOf(secret) >= ANYWHERE_LENGTH;
  const texts = new Set<string>();
  for (const encoded of encodingsOf(secret)) {
    for (const text of [encoded, encoded.replaceAll(' ', '+'), ...base64Of(encoded, anywhere)]) {
      texts.add(anywhere ? text.toLowerCase() : text);
    }
    const number = Number(encoded);
    if (Number.isFinite(number)) texts.add(String(number));
  }
  // A backslash at its end reads as an escape of whatever follows.
  const endless = [...texts]
    .filter((text) => text.endsWith('\\'))
    .map((text) => unescapeOnce(text.slice(0, -1)));
  // A secret may look escaped itself, and the search undoes that in the text.
  for (const text of [...texts]) texts.add(unescapeOnce(text));
  const spellings: Spelling[] = [...texts].map((text) => ({ text, anywhere }));
  if (!anywhere) spellings.push(...encodingsOf(secret).flatMap(partsOfBase64));
  const long = spellings.filter(({ text }) => text.length >= MIN_SECRET_LENGTH);
  return [...long, ...endless.map((text) => ({ text, anywhere }))];
}

/** How a short secret shows in the base64 of a longer text. */
function partsOfBase64(secret: string): Spelling[] {
  return withinBase64(Buffer.from(secret, 'latin1')).flatMap((part, before) => {
    const encoded = { secret, skipped: skippedBy(before) };
    const texts = new Set([part, part.replaceAll('+', '-').replaceAll('/', '_')]);
    return [...texts].map((text) => ({ text, anywhere: false, encoded }));
  });
}

/** The characters of base64 in which so many octets take part. */
const skippedBy = (octets: number): number => Math.ceil((octets * 8) / 6);

/** What is sent as latin1 may come back as UTF-8, and the other way round. */
function encodingsOf(secret: string): string[] {
  if (!/[\x80-\xff]/.test(secret)) return [secret];
  const bytes = Buffer.from(secret, 'latin1');
  if (!isUtf8(bytes)) return [secret, Buffer.from(secret).toString('latin1')];
  const text = bytes.toString();
  return /[^\0-\xff]/.test(text) ? [secret] : [secret, text];
}

function base64Of(secret: string, anywhere: boolean): string[] {
  const octets = Buffer.from(secret, 'latin1');
  const padded = octets.toString('base64');
  const spelled = [padded, padded.replaceAll('=', ''), ...(anywhere ? withinBase64(octets) : [])];
  return spelled.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** The characters of base64 that these octets alone decide, by their place in a group. */
function withinBase64(octets: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const bits = (before + octets.length) * 8;
    const text = Buffer.concat([Buffer.alloc(before), octets]).toString('base64');
    return text.slice(skippedBy(before), Math.floor(bits / 6));
  });
}
