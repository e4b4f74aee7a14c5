import type { JsonScanner } from '@gatehouse/contracts/json';

/** A name, and where it is written in the document. */
interface Known {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

const SLOTS = 1_024;

/**
 * Decodes the member names of one document. Remembers a name per slot, because the objects in a
 * list have the same names: decoding each of them would double the time that a selection takes.
 */
export class MemberNames {
  readonly #slots = new Array<Known | undefined>(SLOTS).fill(undefined);

  /** Returns the name that a scanner has just read. */
  read(scanner: JsonScanner): string {
    const { bytes, start, end } = scanner;
    const slot = nameSlotOf(bytes, start, end);
    const known = this.#slots[slot];
    if (known !== undefined && isSame(bytes, start, end, known)) return known.name;

    const { name } = scanner;
    this.#slots[slot] = { start, end, name };
    return name;
  }
}

function nameSlotOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  return hash & (SLOTS - 1);
}

function isSame(bytes: Buffer, start: number, end: number, known: Known): boolean {
  const length = end - start;
  if (known.end - known.start !== length) return false;
  for (let at = 0; at < length; at++)
    if (bytes[start + at] !== bytes[known.start + at]) return false;
  return true;
}
