import { expect, it } from 'vitest';
import { fitsAnswer } from '../src/response/text.ts';

const FREE = 16 * 1024;

it.each([
  'a',
  '"',
  '\\',
  '\n',
  '\0',
  '\x7f',
  '\x80',
  'ä',
  '\u07ff',
  '\u0800',
  '日',
  '\uffff',
  '😀',
])('a text of %j fits an answer up to its bytes as JSON', (character) => {
  const bytes = Buffer.byteLength(JSON.stringify(character)) - 2;
  for (const received of [0, 1_000]) {
    const most = Math.floor((FREE + 2 * received - 2) / bytes);
    expect(fitsAnswer(character.repeat(most), received)).toBe(true);
    expect(fitsAnswer(character.repeat(most + 1), received)).toBe(false);
  }
});
