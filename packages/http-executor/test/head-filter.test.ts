import { describe, expect, it } from 'vitest';
import { HeadFilter } from '../src/transport/head-filter.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const BODY = 'HTTP/1.1 100 Continue\r\n\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\n';
const HUNDRED = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\nlink: </b>\r\n\r\n';

/** What is shown of an answer that arrives in these parts. */
function shownOf(...parts: string[]): string {
  const filter = new HeadFilter();
  filter.begin();
  return parts.map((part) => filter.take(Buffer.from(part, 'latin1')).toString('latin1')).join('');
}

const lengths = (...values: string[]) =>
  values.map((value) => `content-length: ${value}\r\n`).join('');

const CASES: Record<string, [answer: string, shown: string]> = {
  'a plain answer': [`${OK}a: b\r\n\r\n${BODY}`, `${OK}a: b\r\n\r\n${BODY}`],
  'a 100 before it': [`${HUNDRED}${OK}\r\n${BODY}`, `${OK}\r\n${BODY}`],
  'a 100 without words, of HTTP/1.0': [`HTTP/1.0 100\r\n\r\n${OK}\r\n`, `${OK}\r\n`],
  'several interim answers': [`${HUNDRED}${HINTS}${HUNDRED}${OK}\r\n`, `${OK}\r\n`],
  'a 101, which undici refuses': ['HTTP/1.1 101 Switch\r\n\r\n', 'HTTP/1.1 101 Switch\r\n\r\n'],
  'a 100 whose head is like a body': [`HTTP/1.1 100 Continue\r\n${OK}\r\n${OK}\r\n`, `${OK}\r\n`],
  'one length': [`${OK}${lengths('5')}\r\n${BODY}`, `${OK}${lengths('5')}\r\n${BODY}`],
  'a repeated length': [
    `${OK}${lengths('5')}a: b\r\nContent-LENGTH:5 \r\n\r\n${BODY}`,
    `${OK}${lengths('5')}a: b\r\n\r\n${BODY}`,
  ],
  'a length thrice, side by side': [
    `${OK}${lengths('5', '5', '5')}\r\n`,
    `${OK}${lengths('5')}\r\n`,
  ],
  'a list of one length': [`${OK}${lengths('5, 5')}\r\n`, `${OK}${lengths('5')}\r\n`],
  'two lengths': [`${OK}${lengths('5', '6')}\r\n`, `${OK}${lengths('5', '6')}\r\n`],
  'the same in another spelling': [
    `${OK}${lengths('5', '05')}\r\n`,
    `${OK}${lengths('5', '05')}\r\n`,
  ],
  'a list of two lengths': [`${OK}${lengths('5, 6')}\r\n`, `${OK}${lengths('5, 6')}\r\n`],
  'a name that only ends so': [
    `${OK}x-content-length: 5\r\nx-content-length: 5\r\n\r\n`,
    `${OK}x-content-length: 5\r\nx-content-length: 5\r\n\r\n`,
  ],
  'no HTTP': [
    '220 smtp\r\nHTTP/1.1 100 Continue\r\n\r\n',
    '220 smtp\r\nHTTP/1.1 100 Continue\r\n\r\n',
  ],
  TLS: ['\x15\x03\x03\x00\x02\x02\x46', '\x15\x03\x03\x00\x02\x02\x46'],
};

describe('of an answer', () => {
  it.each(Object.entries(CASES))(
    '%s, in one part, in two and bytewise',
    (_name, [answer, shown]) => {
      expect(shownOf(answer)).toBe(shown);
      for (let at = 1; at < answer.length; at++)
        expect(shownOf(answer.slice(0, at), answer.slice(at)), `cut at ${at}`).toBe(shown);
      expect(shownOf(...answer)).toBe(shown);
    },
  );

  it('that is not awaited, everything is shown', () => {
    expect(new HeadFilter().take(Buffer.from(HUNDRED)).toString()).toBe(HUNDRED);
  });

  it('what may not become a head is not held back', () => {
    expect(shownOf('SSH-2.0')).toBe('SSH-2.0');
    expect(shownOf('HTTP/1.1 20')).toBe('');
    expect(shownOf(`${OK}a: ${'b'.repeat(16_380)}`)).toBe(OK);
    expect(shownOf(`${OK}a: ${'b'.repeat(16_390)}`)).toHaveLength(OK.length + 16_393);
  });

  it('an interim head of more than 16 KiB is left to the parser, which refuses it', () => {
    const start = 'HTTP/1.1 103 Early Hints\r\n';
    const lines = 'a: b\r\n'.repeat(1_000);
    const rest = 'c'.repeat(16_384 - start.length - lines.length);
    expect(shownOf(start, lines, lines.slice(0, 6_000), rest.slice(6_000))).toBe('');
    expect(shownOf(start, lines, rest)).toBe('');
    expect(shownOf(start, lines, `${rest}c`)).toBe(`${rest}c`);
    expect(shownOf(start, lines, lines, lines, 'a')).toBe('a');
  });
});
