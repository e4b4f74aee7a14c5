import { pointerToken } from '@gatehouse/contracts';
import { JsonTree } from '@gatehouse/contracts/json';
import { type Omission, Omissions } from './omissions.ts';
import { isArrayAt, isContainerAt, Output } from './output.ts';

interface Limited {
  readonly json: Buffer;
  /** Empty if nothing is missing. */
  readonly omitted: readonly Omission[];
}

const [QUOTE, BACKSLASH, LETTER_U] = [0x22, 0x5c, 0x75];

/** Written in place of the end of a string. */
const ELLIPSIS = '…';
const MIN_STRING_BYTES = Buffer.byteLength(`"${ELLIPSIS}"`);

/** An object keeps only as many members as can show this many bytes each. */
const MIN_SHOWN_BYTES = 32;

const BRACKET_BYTES = 2;

/**
 * Shortens a JSON document to at most `maxBytes`, which are at least 64 (docs/contract.md,
 * "max_bytes"): a string keeps its beginning, an array its first items as a whole, and an object
 * shares the room among its members, so that a long member leaves room for those after it.
 */
export function limitBytes(json: Buffer, maxBytes: number): Limited {
  if (json.length <= maxBytes) return { json, omitted: [] };
  const limiter = new Limiter(new JsonTree(json), maxBytes);
  limiter.write(0, limiter.tree.begin(0), maxBytes, '');
  return { json: limiter.output.bytes, omitted: limiter.omissions.list };
}

/** Shortens a JSON string of base64, so that what remains can still be decoded. */
export function limitBase64(json: Buffer, maxBytes: number): Limited {
  if (json.length <= maxBytes) return { json, omitted: [] };
  const chars = maxBytes - BRACKET_BYTES;
  const kept = 1 + chars - (chars % 4);
  const bytes = json.length - 1 - kept;
  const shown = Buffer.concat([json.subarray(0, kept), Buffer.from('"')]);
  return { json: shown, omitted: [{ pointer: '', bytes }] };
}

/** A member that is kept. `start` and `size` are of its value. */
interface Member {
  readonly number: number;
  readonly start: number;
  readonly size: number;
  /** True if the value is shown as a whole, because it is short or cannot be shortened. */
  readonly isFixed: boolean;
}

class Limiter {
  readonly output: Output;
  readonly omissions = new Omissions();
  readonly tree: JsonTree;

  constructor(tree: JsonTree, maxBytes: number) {
    this.tree = tree;
    this.output = new Output(tree.bytes, maxBytes);
  }

  /** Writes the value that starts at `start` in at most `room` bytes. */
  write(value: number, start: number, room: number, pointer: string): void {
    const { bytes } = this.tree;
    const end = this.tree.end(value);
    if (end - start <= room) this.output.copy(start, end);
    else if (bytes[start] === QUOTE) this.#writeString(start, end, room, pointer);
    else if (isArrayAt(bytes, start)) this.#writeArray(value, start, room, pointer);
    else if (isContainerAt(bytes, start)) this.#writeObject(value, start, room, pointer);
    else {
      this.output.write('null');
      this.omissions.add({ pointer, bytes: end - start }, end - start);
    }
  }

  #writeString(start: number, end: number, room: number, pointer: string): void {
    const most = start + 1 + room - MIN_STRING_BYTES;
    let kept = start + 1;
    for (let next = kept; next <= most; next += charBytesAt(this.tree.bytes, next)) kept = next;
    this.output.copy(start, kept);
    this.output.write(`${ELLIPSIS}"`);
    const bytes = end - 1 - kept;
    this.omissions.add({ pointer, bytes }, bytes);
  }

  #writeArray(array: number, start: number, room: number, pointer: string): void {
    const tree = this.tree;
    let left = room - BRACKET_BYTES;
    let kept = 0;
    let end = start + 1;
    let item = array + 1;
    this.output.open(false);
    for (; item < tree.next(array); item = tree.next(item)) {
      const begin = tree.begin(item);
      const size = tree.end(item) - begin + Math.sign(kept);
      if (size > left && (kept > 0 || left < MIN_STRING_BYTES || !isFlexible(tree.bytes, begin)))
        break;
      this.output.separate();
      if (size <= left) this.output.copy(begin, tree.end(item));
      // Show a part of the first item rather than nothing.
      else this.write(item, begin, left, `${pointer}/0`);
      kept += 1;
      left -= size;
      end = tree.end(item);
    }
    this.output.close(false);
    this.#omitFrom(item, array, end, (items) => ({ pointer, items }));
  }

  #writeObject(object: number, start: number, room: number, pointer: string): void {
    const tree = this.tree;
    const { kept, left, next } = this.#membersIn(object, room - BRACKET_BYTES);
    const share = shareOf(kept, left);
    this.output.open(true);
    for (const { number, start: valueStart, size } of kept) {
      this.output.separate();
      this.output.copy(tree.begin(number), valueStart);
      const isWhole = size <= share || !isFlexible(tree.bytes, valueStart);
      if (isWhole) this.output.copy(valueStart, tree.end(number));
      else this.write(number, valueStart, share, `${pointer}/${pointerToken(tree.nameOf(number))}`);
    }
    this.output.close(true);
    const end = kept.length === 0 ? start + 1 : tree.end(kept.at(-1)?.number ?? 0);
    this.#omitFrom(next, object, end, (members) => ({ pointer, members }));
  }

  /** Finds the members that can be kept, and how much room their values have together. */
  #membersIn(object: number, room: number) {
    const tree = this.tree;
    const kept: Member[] = [];
    let left = room;
    let needed = 0;
    let next = object + 1;
    for (; next < tree.next(object); next = tree.next(next)) {
      const start = tree.startOf(next);
      const size = tree.end(next) - start;
      const isFixed = size <= MIN_SHOWN_BYTES || !isFlexible(tree.bytes, start);
      const nameSize = start - tree.begin(next) + Math.sign(kept.length);
      needed += isFixed ? size : MIN_SHOWN_BYTES;
      if (needed + nameSize > left) break;
      left -= nameSize;
      kept.push({ number: next, start, size, isFixed });
    }
    return { kept, left, next };
  }

  /** Notes that the children from number `from` on are missing. */
  #omitFrom(from: number, parent: number, end: number, omission: (count: number) => Omission) {
    let count = 0;
    for (let child = from; child < this.tree.next(parent); child = this.tree.next(child))
      count += 1;
    if (count > 0) this.omissions.add(omission(count), this.tree.end(parent) - 1 - end);
  }
}

/** True if a part of the value can be shown. A number is shown as a whole or not at all. */
const isFlexible = (json: Buffer, start: number): boolean =>
  json[start] === QUOTE || isContainerAt(json, start);

/** Divides room among members, so that those that need less than their share leave it to others. */
function shareOf(members: readonly Member[], room: number): number {
  let left = room;
  for (const { size, isFixed } of members) if (isFixed) left -= size;
  const sizes = members.filter(({ isFixed }) => !isFixed).map(({ size }) => size);
  sizes.sort((one, other) => one - other);
  for (const [index, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return share;
    left -= size;
  }
  return room;
}

/** Returns the size of the character or escape in a JSON string. Keeps surrogate pairs together. */
function charBytesAt(json: Buffer, at: number): number {
  if (json[at] === BACKSLASH) {
    if (json[at + 1] !== LETTER_U) return 2;
    return SURROGATE_PAIR.test(json.toString('latin1', at, at + 12)) ? 12 : 6;
  }
  const lead = json[at] as number;
  if (lead < 0x80) return 1;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

const SURROGATE_PAIR = /^\\u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}$/;
