import { MAX_JSON_DEPTH } from '@gatehouse/contracts';
import { JsonTree } from '@gatehouse/contracts/json';
import { readToEnd } from '../turns.ts';
import { JsonWriter } from './json-writer.ts';
import { extend, type Omission, Omissions, type Pointer } from './omissions.ts';

export interface Limited {
  readonly json: Buffer;
  /** Empty if nothing is missing. */
  readonly omitted: readonly Omission[];
}

const [QUOTE, BACKSLASH, LETTER_D, LETTER_U] = [0x22, 0x5c, 0x64, 0x75];
const LOWER_CASE = 0x20;
const [OPEN_BRACE, OPEN_BRACKET] = [0x7b, 0x5b];

/** Written in place of the end of a string. */
const ELLIPSIS = '…';
const MIN_STRING_BYTES = Buffer.byteLength(`"${ELLIPSIS}"`);

/** An object keeps only as many members as can show this many bytes each. */
const MIN_SHOWN_BYTES = 32;

/** Size of two quotes, brackets or braces. */
const PAIR_BYTES = 2;

/**
 * Shortens a JSON document to at most `maxBytes`, which are at least 64 (docs/contract.md,
 * "Answers for models"): a string keeps its beginning, an array its first items, and an object
 * shares the room among its members, so that a long member leaves room for those after it.
 */
export async function limitBytes(
  json: Buffer,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Limited> {
  if (json.length <= maxBytes) return { json, omitted: [] };
  const tree = new JsonTree(json, { maxDepth: MAX_JSON_DEPTH, maxArrayBytes: maxBytes });
  await readToEnd(tree);
  const limiter = new Limiter(tree, maxBytes);
  limiter.write(0, maxBytes, '');
  return { json: limiter.output.bytes, omitted: limiter.omissions.list };
}

/** Shortens a JSON string of base64, so that what remains can still be decoded. */
export function limitBase64(json: Buffer, maxBytes = Number.POSITIVE_INFINITY): Limited {
  if (json.length <= maxBytes) return { json, omitted: [] };
  const chars = maxBytes - PAIR_BYTES;
  const kept = 1 + chars - (chars % 4);
  const bytes = json.length - 1 - kept;
  const shown = Buffer.concat([json.subarray(0, kept), Buffer.from('"')]);
  return { json: shown, omitted: [{ pointer: '', bytes }] };
}

class Limiter {
  readonly output: JsonWriter;
  readonly omissions = new Omissions();
  readonly #tree: JsonTree;

  constructor(tree: JsonTree, maxBytes: number) {
    this.#tree = tree;
    this.output = new JsonWriter(tree.bytes, maxBytes);
  }

  /** Writes a value in at most `room` bytes. */
  write(value: number, room: number, pointer: Pointer): void {
    const { bytes } = this.#tree;
    const [start, end] = [this.#tree.start(value), this.#tree.end(value)];
    const first = bytes[start];
    if (end - start <= room) this.output.copy(start, end);
    else if (first === QUOTE) this.#writeString(start, end, room, pointer);
    else if (first === OPEN_BRACKET) this.#writeArray(value, room, pointer);
    else if (first === OPEN_BRACE) this.#writeObject(value, room, pointer);
    else {
      this.output.write('null');
      this.omissions.add(pointer, { bytes: end - start }, end - start);
    }
  }

  #writeString(start: number, end: number, room: number, pointer: Pointer): void {
    const most = start + 1 + room - MIN_STRING_BYTES;
    let kept = start + 1;
    for (let next = kept; next <= most; next += charBytesAt(this.#tree.bytes, next)) kept = next;
    this.output.copy(start, kept);
    this.output.write(`${ELLIPSIS}"`);
    const bytes = end - 1 - kept;
    this.omissions.add(pointer, { bytes }, bytes);
  }

  /** Writes the first items that fit, as they are. */
  #writeArray(array: number, room: number, pointer: Pointer): void {
    const tree = this.#tree;
    const first = array + 1;
    const begin = first < tree.next(array) ? tree.begin(first) : tree.end(array);
    const most = begin + room - PAIR_BYTES;
    let [item, index, end] = [first, 0, begin];
    for (; item < tree.next(array) && tree.end(item) <= most; item = tree.next(item)) {
      end = tree.end(item);
      index += 1;
    }

    this.output.open(true);
    this.output.copy(begin, end);
    const left = most - end - Math.min(index, 1);
    // If more than half of the room is left, show a part of the next item.
    if (item < tree.next(array) && 2 * left > room && isFlexible(tree.bytes, tree.start(item))) {
      this.output.separate();
      this.write(
        item,
        left,
        extend(pointer, () => String(index)),
      );
      end = tree.end(item);
      item = tree.next(item);
    }
    this.output.close(true);
    this.#omitFrom(item, array, end, pointer, 'items');
  }

  /** Writes the first members, whose values share the room. */
  #writeObject(object: number, room: number, pointer: Pointer): void {
    const tree = this.#tree;
    const { sizes, left, next } = this.#membersIn(object, room - PAIR_BYTES);
    const share = shareOf(sizes, left);
    let end = tree.start(object) + 1;
    this.output.open(false);
    for (let member = object + 1; member < next; member = tree.next(member)) {
      const [begin, start] = [tree.begin(member), tree.start(member)];
      end = tree.end(member);
      this.output.separate();
      if (end - start <= share || this.#isFixed(member)) {
        this.output.copy(begin, end);
        continue;
      }

      this.output.copy(begin, start);
      this.write(
        member,
        share,
        extend(pointer, () => tree.nameOf(member)),
      );
    }
    this.output.close(false);
    this.#omitFrom(next, object, end, pointer, 'members');
  }

  /**
   * Finds the first member that cannot be kept, the sizes of the values before it that can be
   * shortened, and how much room these have together.
   */
  #membersIn(object: number, room: number) {
    const tree = this.#tree;
    const sizes: number[] = [];
    let left = room;
    let next = object + 1;
    for (; next < tree.next(object); next = tree.next(next)) {
      const size = tree.end(next) - tree.start(next);
      const isFixed = this.#isFixed(next);
      const separator = next === object + 1 ? 0 : 1;
      const fixed = tree.start(next) - tree.begin(next) + separator + (isFixed ? size : 0);
      const flexible = MIN_SHOWN_BYTES * (sizes.length + (isFixed ? 0 : 1));
      if (fixed + flexible > left) break;

      left -= fixed;
      if (!isFixed) sizes.push(size);
    }
    return { sizes, left, next };
  }

  /** True if a value is shown as a whole, because it is short or cannot be shortened. */
  #isFixed(value: number): boolean {
    const { bytes } = this.#tree;
    const start = this.#tree.start(value);
    return this.#tree.end(value) - start <= MIN_SHOWN_BYTES || !isFlexible(bytes, start);
  }

  /** Notes that the children from number `from` on are missing. */
  #omitFrom(
    from: number,
    parent: number,
    end: number,
    pointer: Pointer,
    unit: 'items' | 'members',
  ): void {
    let count = this.#tree.skipped(parent);
    for (let child = from; child < this.#tree.next(parent); child = this.#tree.next(child))
      count += 1;
    const bytes = this.#tree.end(parent) - 1 - end;
    if (count > 0) this.omissions.add(pointer, { [unit]: count }, bytes);
  }
}

/** True if a part of the value can be shown. A number is shown as a whole or not at all. */
const isFlexible = (json: Buffer, start: number): boolean =>
  json[start] === QUOTE || json[start] === OPEN_BRACE || json[start] === OPEN_BRACKET;

/** Divides room among values, so that those that need less than their share leave it to others. */
function shareOf(sizes: readonly number[], room: number): number {
  const ascending = sizes.toSorted((one, other) => one - other);
  let left = room;
  for (const [index, size] of ascending.entries()) {
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
    if (((json[at + 2] as number) | LOWER_CASE) !== LETTER_D) return 6;
    return SURROGATE_PAIR.test(json.toString('latin1', at, at + 12)) ? 12 : 6;
  }
  const lead = json[at] as number;
  if (lead < 0x80) return 1;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

const SURROGATE_PAIR = /^\\u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}$/;
