import { random } from '../fuzz/random.ts';

/** Texts of many bytes, built at once from small parts. */

/** A unit over and over between two ends, up to about so many bytes in all. */
export function repeated(unit: string, bytes: number, open = '', close = ''): Buffer {
  const room = bytes - Buffer.byteLength(open) - Buffer.byteLength(close);
  const times = Math.floor(room / Buffer.byteLength(unit));
  return Buffer.concat([
    Buffer.from(open),
    Buffer.alloc(times * Buffer.byteLength(unit), unit),
    Buffer.from(close),
  ]);
}

/** `[item,item,…]` of at most so many bytes. */
export function listOf(item: string, bytes: number): Buffer {
  return repeated(`${item},`, bytes, '[', `${item}]`);
}

/** `{"<name 0>":value,"<name 1>":value,…}` of about so many bytes. */
export function membersOf(name: (n: number) => string, value: string, bytes: number): Buffer {
  const members: string[] = [];
  for (let n = 0, size = 2; size < bytes; n++) {
    const member = `${JSON.stringify(name(n))}:${value}`;
    size += Buffer.byteLength(member) + 1;
    if (size <= bytes) members.push(member);
  }
  return Buffer.from(`{${members.join(',')}}`);
}

/** A value inside so many levels, each of which is opened and closed by these texts. */
export function nested(levels: number, open: string, close: string, inner = '1'): string {
  return `${open.repeat(levels)}${inner}${close.repeat(levels)}`;
}

/** As deep as so many bytes allow. */
export function deep(open: string, close: string, bytes: number): Buffer {
  return Buffer.from(nested(Math.floor(bytes / (open.length + close.length)), open, close, ''));
}

export const range = <T>(length: number, each: (n: number) => T): T[] =>
  Array.from({ length }, (_, n) => each(n));

/** Characters that look random and are the same every time. */
export function noise(length: number): string {
  const { pick } = random(1, 'noise', length);
  return range(length, () => pick(LETTERS)).join('');
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'];
