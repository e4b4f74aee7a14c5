import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** SHA-256 of the canonical JSON, in hexadecimal. */
export function digestOf(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}

/** RFC 8785, for what a profile holds: no key of digits alone, no half of a surrogate pair. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) => {
    if (typeof member !== 'object' || Array.isArray(member)) return member;
    const sorted = Object.keys(member).sort();
    return Object.fromEntries(sorted.map((key) => [key, member[key]]));
  });
}
