import { expect, it } from 'vitest';
import { mustCheck } from './support/checks.ts';

const UUID = '6BA7B810-9DAD-11D1-80B4-00C04FD430C8';

/**
 * Valid and invalid values of each format. Comments name the software that writes the valid values
 * below them.
 */
const VALUES: Readonly<
  Record<string, { readonly valid: readonly unknown[]; readonly invalid: readonly unknown[] }>
> = {
  'date-time': {
    valid: [
      ...['2026-11-22T13:20:05.123Z', '2026-11-22t13:20:05z'],
      // Python: `isoformat()` and `str()` of times with and without a time zone
      ...['2026-11-22T13:20:05.123456+00:00', '2026-11-22T13:20:05.123456'],
      ...['2026-11-22 13:20:05.123456+00:00', '2026-11-22 13:20:05'],
      // Jira, and Java's `Date` as written by Jackson
      '2026-11-22T13:20:05.123+0000',
      // .NET, Go, PostgreSQL, Temporal
      ...['2026-11-22T13:20:05.1234567', '2026-11-22T13:20:05.1234567+01:00'],
      ...['2026-11-22T13:20:05.123456789-08:00', '2026-11-22 13:20:05.5+05:30'],
      '2026-11-22 13:20:05+00',
      // A leap second, and the last day of February in a leap year
      ...['1998-12-31T23:59:60Z', '2024-02-29T00:00:00Z'],
    ],
    invalid: [
      ...['', 'now', '2026-11-22', '13:20:05Z', '1795353605', '2026-11-22T13:20Z'],
      ...['2026-02-29T13:20:05Z', '2026-13-01T13:20:05Z', '2026-11-22T24:00:00Z'],
      ...['2026-11-22T13:20:60', '2026-11-22T13:20:05+24:00', '2026-11-22T13:20:05 [UTC]'],
      ...['11/22/2026 13:20:05', 'Sun, 22 Nov 2026 13:20:05 GMT', '20261122T132005Z'],
    ],
  },
  time: {
    valid: ['13:20:05Z', '13:20:05.5+01:00', '13:20:05', '13:20:05.123456'],
    invalid: ['', '13', '1:20', '13:20', '24:00', '13:20:61', '13:20 Z', '1:20 PM', '13:20:05,5'],
  },
  date: {
    valid: ['2026-11-22', '2024-02-29'],
    invalid: ['', '2026-02-29', '22.11.2026', '2026-11-22T00:00:00Z', '20261122', '2026-11'],
  },
  duration: {
    valid: [
      ...['P3Y6M4DT12H30M5S', 'P2W', 'P0D', 'PT36H', 'PT1H5S'],
      // Durations from Java (including negative ones), .NET, Pydantic, luxon and PostgreSQL
      ...['PT3.5S', 'PT-3.5S', 'PT-8H-6M-12.345S', '-PT3.5S', '-P1DT0.25S', 'P1DT2.5S'],
    ],
    invalid: [
      ...['+PT1S', 'P1Y-2M3DT-4H', 'PT0,5H', 'P0.5Y', '', 'P', 'PT', 'P1', 'P1YT', '-P', 'PT.5S'],
      ...['PT5.S', 'PT1.5H30M', '1h30m', '01:30:00', 'PT5S1H', 'P1D2H', 'P1Y2W', 'pt5s', 'PT5S\n'],
    ],
  },
  email: {
    valid: [
      ...['ada@example.com', 'ada+tag@example.co.uk', "o'neil@example.com", 'root@localhost'],
      ...['jörg@münchen.example', '"ada lovelace"@example.com', 'ada@[192.0.2.1]'],
      ...['ada@[IPv6:2001:db8::1]', 'ada@xn--mnchen-3ya.example', '用户@例子.example'],
    ],
    invalid: [
      ...['', 'ada', '@example.com', 'ada@', 'ada@example..com', 'ada@-example.com', 'ada..b@c.de'],
      ...['.ada@example.com', 'ada@example.com.', 'ada @example.com', 'Ada <ada@example.com>'],
      ...['a@b@c.de', 'ada@[2001:db8::1]', 'ada@[192.0.2.256]', '"a"b"@c.de', 'ada@exam_ple.com'],
      ...['mailto:ada@example.com', 'a@b.de,c@d.de', `ada@${'a'.repeat(64)}.de`, 'ada@a.de\n'],
    ],
  },
  uri: {
    valid: [
      ...['https://example.com', 'urn:isbn:0451450523', 'mailto:a@b.de', 's3://bucket/key'],
      ...['http://localhost:8080/x', 'http://[::1]:8080/', 'tel:+491234', 'data:,a'],
      // JSON:API, Google Fonts, and characters that browsers do not escape in a query
      ...['https://a.de/p?page[size]=2', 'https://a.de/css?family=A|B', 'https://a.de?q={x}'],
      ...['https://de.wikipedia.org/wiki/Köln', 'https://münchen.example/#ü', 'https://a.de#^`'],
      // GitHub: a repository without a homepage
      '',
    ],
    invalid: [
      ...[
        ' ',
        'a',
        '/a',
        '//a.de/b',
        'a.de/b',
        'https://a.de/a b',
        'https://a.de/?a b',
        'ü:a',
        '1:a',
      ],
      ...['https://a.de/{id}', 'https://a.de/a|b', 'https://a.de/"', 'https://a.de/?<', 'C:\\temp'],
      ...['https://a.de/?\\', 'https://a.de/%zz', 'https://a.de/?%2', 'https://a.de\n'],
    ],
  },
  'uri-reference': {
    valid: ['', '/a?page[size]=2', '../ü', '#a|b', 'https://a.de', '?q={x}'],
    invalid: ['a b', '/{id}', '\\a', '#\\', '%zz'],
  },
  uuid: {
    valid: [UUID, UUID.toLowerCase(), `urn:uuid:${UUID}`],
    invalid: ['', UUID.replaceAll('-', ''), `{${UUID}}`, UUID.slice(1), `${UUID}0`],
  },
  hostname: {
    valid: ['a', 'www.example.com', 'www.example.com.', '1.example', 'xn--mnchen-3ya.example'],
    invalid: ['', '.', 'a_b', '-a', 'a-', 'a..b', '*.a.de', 'a.de:80', 'a b', 'a'.repeat(64)],
  },
  ipv4: {
    valid: ['192.0.2.1'],
    invalid: ['', '192.0.2', '192.0.2.256', '192.0.2.0/24', '1.2.3.04'],
  },
  ipv6: {
    valid: ['::', '2001:DB8::1', '::ffff:192.0.2.1'],
    invalid: ['', ':', '[::1]', 'fe80::1%eth0', '2001:db8::/32', '::192.0.2.256'],
  },
  'json-pointer': { valid: ['', '/', '/a~1b/0'], invalid: ['a', '/a~', '#/a'] },
  regex: { valid: ['^a+$', '(?<a>b)', '\\d'], invalid: ['(', '[', '*', 'a\\Z', '(?P<a>b)'] },
  byte: {
    // Base64 as written by Go, Java and Google, in JWTs, and by Python's `encodebytes`
    valid: ['', 'YWI=', '-_-_', 'YWI', 'YWJj\nYWJj\n', 'YWJj\r\nYQ=='],
    invalid: ['Y', 'YW I=', 'YWI==', 'YWJj=', '=', 'a.b', 'a\n!!!', 'YWJj====', 'Y===', 'YQ==YQ=='],
  },
  int32: { valid: [0, 1.0, -(2 ** 31), 2 ** 31 - 1], invalid: [0.5, -(2 ** 31) - 1, 2 ** 31] },
  int64: { valid: [0, -(2 ** 63), 2 ** 63], invalid: [0.5, 2 ** 63 + 2048, -(2 ** 63) - 2048] },
};

it.each(Object.entries(VALUES))('accepts %s only as servers write it', (format, values) => {
  const check = mustCheck({ format });
  const { valid, invalid } = values;
  const isValid = (value: unknown) => check(JSON.stringify(value)).length === 0;
  expect([...valid, ...invalid].filter(isValid)).toEqual(valid);
});

it('takes linear time', () => {
  const long = 60_000;
  const texts = ['1', '.', '[a]', 'a.', 'a-', '+', 'P', 'T1', '%', '?', '"', '\\"', '=', '\n'];
  const starts = ['', 'P', 'PT', '2026-11-22T13:20', 'a@', '"', 'https://', 'a?', '@['];
  for (const format of Object.keys(VALUES)) {
    const check = mustCheck({ format });
    const before = process.threadCpuUsage();
    for (const start of starts)
      for (const text of texts) check(JSON.stringify(start + text.repeat(long / text.length)));
    // Measure processor time, because other processes do not affect it.
    expect(process.threadCpuUsage(before).user, format).toBeLessThan(2_000_000);
  }
});
