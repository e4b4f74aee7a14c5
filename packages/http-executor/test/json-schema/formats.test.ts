import { expect, it } from 'vitest';
import { mustCheck } from './checks.ts';

/** Formats that accept more than ajv-formats does. Comments name who writes the values. */
const VALUES: Readonly<Record<string, { valid: readonly unknown[]; invalid: readonly unknown[] }>> =
  {
    'date-time': {
      valid: [
        ...['2026-11-22T13:20:05.123Z', '2026-11-22t13:20:05z', '2024-02-29T00:00:00+01:00'],
        // Python, Java, .NET, PostgreSQL and Jira
        ...['2026-11-22T13:20:05.123456', '2026-11-22 13:20:05', '2026-11-22T13:20:05.123+0000'],
      ],
      invalid: [
        '',
        'now',
        '2026-11-22',
        '2026-02-29T13:20:05Z',
        '2026-11-22T24:00:00Z',
        '1795353605',
      ],
    },
    time: { valid: ['13:20:05Z', '13:20:05'], invalid: ['', '13:20', '24:00:00'] },
    date: { valid: ['2024-02-29'], invalid: ['2026-02-29', '22.11.2026'] },
    duration: {
      // Java and .NET
      valid: ['P3Y6M4DT12H30M5S', 'P2W', 'PT3.5S', 'PT-8H-6M', '-P1DT0.25S'],
      invalid: ['', 'P', 'PT', 'P1', '1h30m', 'P1D2H', 'PT.5S', 'P1Y2W'],
    },
    email: {
      // GitHub
      valid: [
        'ada@example.com',
        '1+dependabot[bot]@users.noreply.github.com',
        'jörg@münchen.example',
      ],
      invalid: ['', 'ada', '@example.com', 'ada@', 'a@b@c.de', 'Ada <ada@example.com>'],
    },
    uri: {
      // GitHub, JSON:API and Wikipedia
      valid: [
        '',
        'https://a.de/p?page[size]=2',
        'https://de.wikipedia.org/wiki/Köln',
        'urn:a:b',
        's3://a/b',
      ],
      invalid: [
        'a',
        '/a',
        '//a.de/b',
        'https://a.de/a b',
        'https://a.de/"',
        '1:a',
        'https://a.de\n',
      ],
    },
    url: { valid: ['http://10.0.0.1/x', 'http://localhost'], invalid: [] },
    byte: {
      // Go, Google, Python
      valid: ['', 'YWI=', '-_-_', 'YWI', 'YWJj\nYWJj\n'],
      invalid: ['a.b', 'YW I=', '===', 'a=b'],
    },
    uuid: { valid: ['6BA7B810-9DAD-11D1-80B4-00C04FD430C8'], invalid: ['', '6BA7B810'] },
    ipv4: { valid: ['192.0.2.1'], invalid: ['192.0.2.256'] },
    int32: { valid: [2 ** 31 - 1], invalid: [2 ** 31, 0.5] },
  };

it.each(Object.entries(VALUES))('accepts %s as servers write it', (format, { valid, invalid }) => {
  const check = mustCheck({ format });
  const isValid = (value: unknown) => check(JSON.stringify(value)).length === 0;
  expect([...valid, ...invalid].filter(isValid)).toEqual(valid);
});

it('takes linear time for the formats that are checked on the main thread', () => {
  const long = 60_000;
  const parts = ['1', '.', 'a', 'a.', '@', 'a@', '+', '%', '?', ':', '-', '\n'];
  for (const format of ['date-time', 'date', 'time', 'uuid', 'email', 'uri']) {
    const check = mustCheck({ format });
    const before = process.threadCpuUsage();
    for (const start of ['', '2026-11-22T13:20', 'a@', 'https://'])
      for (const part of parts) check(JSON.stringify(start + part.repeat(long / part.length)));
    // Measure processor time, because other processes do not affect it.
    expect(process.threadCpuUsage(before).user, format).toBeLessThan(2_000_000);
  }
});
