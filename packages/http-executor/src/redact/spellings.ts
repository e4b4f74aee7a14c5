import { type Credentials, charactersOf } from './secrets.ts';

/** One way in which an upstream may write a secret, besides escapes. */
export interface Spelling {
  readonly bytes: Buffer;
  /** Found within words, too. */
  readonly anywhere: boolean;
}

/** A prepared search for secrets. */
export interface Search {
  /** By the first byte. */
  readonly spellings: readonly (readonly Spelling[])[];
}

/** A secret of so many characters is found anywhere; a shorter one only where it stands alone. */
const ANYWHERE_LENGTH = 16;

/** Prepares a search; undefined if there is nothing to search for. */
export function prepareSearch({ secrets, wholes }: Credentials): Search | undefined {
  if (secrets.length === 0) return undefined;
  const texts = new Map<string, boolean>();
  const add = (text: string, source: string) => {
    texts.set(text, texts.get(text) === true || charactersOf(source) >= ANYWHERE_LENGTH);
  };
  for (const secret of secrets) add(secret, secret);
  for (const source of [...secrets, ...wholes])
    for (const text of inBase64(source)) add(text, source);
  const spellings: Spelling[][] = [];
  for (const [text, anywhere] of texts) {
    const bytes = Buffer.from(text, 'latin1');
    const first = bytes[0] as number;
    spellings[first] ??= [];
    spellings[first].push({ bytes, anywhere });
  }
  return { spellings };
}

/** Base64 and base64url, with and without padding. */
function inBase64(text: string): string[] {
  const bytes = Buffer.from(text, 'latin1');
  const padded = bytes.toString('base64');
  const url = bytes.toString('base64url');
  return [padded, padded.replaceAll('=', ''), url, url.padEnd(padded.length, '=')];
}
