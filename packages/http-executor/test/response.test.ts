import type { ResponseType, Violation } from '@gatehouse/contracts';
import { describe, expect, it } from 'vitest';
import type { AttemptResult } from '../src/attempt/result.ts';
import { isSuccess } from '../src/attempt/result.ts';
import { toOutcome } from '../src/outcome/outcome.ts';
import { redactionRules } from '../src/redact/header-names.ts';
import type { RedactedBody } from '../src/redact/redact.ts';
import { redactorFactory } from '../src/redact/redactor.ts';
import { prepareSearch } from '../src/redact/search.ts';
import type { StopReason } from '../src/retry/retry-decision.ts';
import { type BodyOptions, decodeValidateRedact } from '../src/threads/decode-validate-redact.ts';

const SECRET = 'Secret-Of-Many-Letters';
const search = prepareSearch({ secrets: [SECRET], wholes: [] });
const PLAIN: BodyOptions = {
  type: 'json',
  contentType: undefined,
  search: undefined,
  check: undefined,
  textChars: 20,
  cut: false,
};

/** What is made of a body, its bytes as text. */
function examine(body: string | Buffer, options: Partial<BodyOptions> = {}) {
  const examined = decodeValidateRedact(Buffer.from(body), { ...PLAIN, ...options });
  return 'json' in examined
    ? { ...examined, json: Buffer.from(examined.json).toString() }
    : examined;
}
const json = (written: string, redactions = 0, violations: Violation[] = []) => ({
  kind: 'json',
  json: written,
  violations,
  redactions,
});
const text = (shown: string, redactions = 0, reason = 'not JSON in UTF-8') => ({
  kind: 'excerpt',
  text: shown,
  reason,
  redactions,
});
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('decode', () => {
  it.each<[name: string, body: string | Buffer, options: Partial<BodyOptions>, examined: object]>([
    ['JSON', '{"a":1.00}', {}, json('{"a":1.00}')],
    ['nothing', '', {}, json('null')],
    ['a byte order mark', '\ufeff{}', {}, json('{}')],
    ['two byte order marks', '\ufeff\ufeff{}', {}, text('\ufeff{}')],
    ['half a byte order mark', Buffer.from([0xef, 0xbb]), {}, text('\ufffd')],
    ['256 levels', nested(256), {}, json(nested(256))],
    [
      '257 levels',
      nested(257),
      {},
      text('['.repeat(19).concat('…'), 0, 'nested deeper than 256 levels'),
    ],
    ['text', '<html>', {}, text('<html>')],
    ['text that is long', 'x'.repeat(21), {}, text(`${'x'.repeat(19)}…`)],
    ['text that just fits', 'x'.repeat(20), {}, text('x'.repeat(20))],
    ['bytes that are no UTF-8', Buffer.from('"\xe4"', 'latin1'), {}, text('"\ufffd"')],
    ['JSON that was cut where it is whole', '[1]', { cut: true }, text('[1]', 0, 'cut off')],
    ['nothing, cut', '', { cut: true }, text('', 0, 'cut off')],
    ['two documents', '{}{}', {}, text('{}{}')],
  ])('%s', (_name, body, options, examined) => {
    expect(examine(body, options)).toEqual(examined);
  });
});

describe('validate', () => {
  it('lists what the schema finds', () => {
    const found = [{ pointer: '/a', message: '/a is bad' }];
    expect(examine('{}', { check: () => found })).toEqual(json('{}', 0, found));
    expect(examine('{}', { check: () => found, search })).toEqual(json('{}', 0, found));
  });

  it('sees the document without its byte order mark', () => {
    const seen: string[] = [];
    examine('\ufeff{}', {
      check: (document) => {
        seen.push(document.toString());
        return [];
      },
    });
    expect(seen).toEqual(['{}']);
  });

  it('passes other errors on', () => {
    const broken = () =>
      examine('{}', {
        check: () => {
          throw new Error('odd');
        },
      });
    expect(broken).toThrow('odd');
  });

  it('shortens violations, those of control characters more', () => {
    const violation = (chars: string) => [{ pointer: `/${chars}`, message: chars }];
    const shown = (chars: string) => {
      const examined = examine('{}', { check: () => violation(chars) });
      return 'violations' in examined ? examined.violations[0] : undefined;
    };
    expect(shown('x'.repeat(299))).toEqual({
      pointer: `/${'x'.repeat(299)}`,
      message: 'x'.repeat(299),
    });
    expect(shown('x'.repeat(301))).toEqual({
      pointer: `/${'x'.repeat(298)}…`,
      message: `${'x'.repeat(299)}…`,
    });
    expect(shown('\0'.repeat(99))?.message).toBe('\0'.repeat(99));
    expect(shown(`${'\0'.repeat(99)}abcd`)?.message).toBe(`${'\0'.repeat(99)}abcd`);
    expect(shown(`${'\0'.repeat(99)}abcde`)?.message).toBe(`${'\0'.repeat(49)}…`);
    expect(shown('\0'.repeat(100))?.message).toBe(`${'\0'.repeat(49)}…`);
  });
});

describe('redact', () => {
  it.each<[name: string, body: string, options: Partial<BodyOptions>, examined: object]>([
    [
      'a string of a document',
      `{"a":"x ${SECRET}","b":1.0}`,
      {},
      json('{"a":"x REDACTED","b":1.0}', 1),
    ],
    ['nothing in a document without', '{"a":1.0}', {}, json('{"a":1.0}')],
    ['umlauts beside it', `["ä${SECRET}ö"]`, {}, json('["äREDACTEDö"]', 1)],
    ['text', `ä ${SECRET}`, {}, text('ä REDACTED', 1)],
    [
      'as much as may be the beginning of a secret where text is cut',
      `got Secret-Of-M`,
      { cut: true },
      text('', 0, 'cut off'),
    ],
    ['only what is whole where it is not cut', `got Secret-Of-M`, {}, text('got Secret-Of-M', 0)],
  ])('%s', (_name, body, options, examined) => {
    expect(examine(body, { search, ...options })).toEqual(examined);
  });

  it('violations, and counts what they repeat', () => {
    const found = [
      { pointer: `/${SECRET}`, message: `/${SECRET} is bad` },
      { pointer: '', message: 'fine' },
    ];
    expect(examine(`["${SECRET}"]`, { search, check: () => found })).toEqual(
      json('["REDACTED"]', 3, [
        { pointer: '/REDACTED', message: '/REDACTED is bad' },
        { pointer: '', message: 'fine' },
      ]),
    );
  });

  it('looks at 64 KiB of a text, of which it shows none of the end', () => {
    const at = (start: number) =>
      examine(`${' '.repeat(start)}${SECRET}${' '.repeat(65_536)}`, { search, textChars: 100_000 });
    expect(at(60_000)).toMatchObject({
      redactions: 1,
      text: expect.stringMatching(/ REDACTED +$/),
    });
    const unsure = 6 * Buffer.from(SECRET).toString('base64').length;
    expect(at(65_536 - 20)).toMatchObject({ redactions: 0, text: ' '.repeat(65_536 - unsure) });
  });

  it('withholds a body that repeats the secret too often', () => {
    const body = JSON.stringify(Array.from({ length: 100_001 }, () => SECRET));
    expect(examine(body, { search })).toEqual({
      kind: 'withheld',
      reason: 'repeats the credentials of the request more than 10000 times',
    });
  });
});

it('isSuccess: 200 to 299', () => {
  expect([199, 200, 299, 300].map(isSuccess)).toEqual([false, true, true, false]);
});

const redactorFor = redactorFactory(redactionRules('all', {}));
const received = (status: number, rest: object = {}): AttemptResult => ({
  response: { status, headers: { a: 'b' }, body: { bytes: Buffer.alloc(0) }, ...rest },
});
const JSON_BODY = json('{"id":1.0}') as unknown as RedactedBody;
const BYTES_BODY: RedactedBody = {
  kind: 'json',
  json: Buffer.from('{"id":1.0}'),
  violations: [],
  redactions: 0,
};
const FAULT: AttemptResult = { fault: { error: 'ConnectFailure', message: 'Broke.' } };
const TIMEOUT: AttemptResult = { fault: { error: 'Timeout', message: 'Late.' } };
const RECORD = { attempt: 1, classification: 'timeout', delay_ms: 0, duration_ms: 5 } as const;

interface Setup {
  readonly examined?: RedactedBody;
  readonly responseType?: ResponseType;
  readonly attempts?: number;
  readonly reason?: StopReason;
  readonly headers?: Map<string, string>;
  readonly retryAfterMs?: number;
}

function outcomeOf(result: AttemptResult, setup: Setup = {}) {
  const {
    examined,
    responseType,
    attempts = 1,
    reason = 'settled',
    headers = new Map(),
    retryAfterMs,
  } = setup;
  const history = attempts > 1 ? [RECORD] : [];
  const report = { result, attempts, history, reason, retryAfterMs };
  const redactor = redactorFor(headers);
  const { json: written, ...outcome } = toOutcome(report, examined, responseType, redactor);
  return { ...outcome, text: written.toString() };
}

describe('outcome', () => {
  it('a success, with its body as it is written', () => {
    expect(outcomeOf(received(200), { examined: BYTES_BODY })).toEqual({
      outcome: 'success',
      status: 200,
      attempts: 1,
      redactions: 0,
      text: '{"outcome":"success","status":200,"headers":{"a":"b"},"body":{"id":1.0},"attempts":1,"history":[]}',
    });
    expect(JSON_BODY.kind).toBe('json');
  });

  it('a success after failures, with what was scrubbed', () => {
    const headers = new Map([['authorization', `Bearer ${SECRET}`]]);
    const result = received(200, { headers: { a: SECRET, 'set-cookie': ['x', 'y'] } });
    const examined = { ...BYTES_BODY, redactions: 2 } as RedactedBody;
    expect(outcomeOf(result, { examined, attempts: 2, headers })).toMatchObject({
      redactions: 3,
      text: `{"outcome":"success","status":200,"headers":{"a":"REDACTED","set-cookie":"REDACTED"},"body":{"id":1.0},"attempts":2,"history":[${JSON.stringify(RECORD)}],"redactions":3}`,
    });
  });

  it('a fault, scrubbed', () => {
    const headers = new Map([['authorization', `Bearer ${SECRET}`]]);
    const result: AttemptResult = { fault: { error: 'RequestFailed', message: `Got ${SECRET}.` } };
    expect(outcomeOf(result, { headers })).toEqual({
      outcome: 'failure',
      error: 'RequestFailed',
      attempts: 1,
      redactions: 1,
      text: '{"outcome":"failure","error":"RequestFailed","message":"Got REDACTED.","attempts":1,"history":[],"redactions":1}',
    });
  });

  const failure = (error: string, message: string, status: number, rest = '') =>
    `{"outcome":"failure","error":"${error}","message":"${message}","status":${status},"headers":{"a":"b"}${rest},"attempts":1,"history":[]}`;
  const ACCEPTED = 'The upstream accepted the request with status 201, but its body';
  const VIOLATIONS = [
    { pointer: '/a', message: '/a is bad' },
    { pointer: '', message: 'the body is worse' },
  ];
  const TEXT: RedactedBody = {
    kind: 'excerpt',
    text: '<p>',
    reason: 'not JSON in UTF-8',
    redactions: 0,
  };
  const WITHHELD: RedactedBody = { kind: 'withheld', reason: 'could not be examined: so' };
  it.each<[name: string, result: AttemptResult, setup: Setup, error: string, written: string]>([
    [
      'a status',
      received(404),
      { examined: BYTES_BODY },
      'HttpFailure',
      failure('HttpFailure', 'The upstream answered with status 404.', 404, ',"body":{"id":1.0}'),
    ],
    [
      'a status with text',
      received(500),
      { examined: TEXT },
      'HttpFailure',
      failure('HttpFailure', 'The upstream answered with status 500.', 500, ',"body":"<p>"'),
    ],
    [
      'a status whose body was not read',
      received(500),
      {},
      'HttpFailure',
      failure('HttpFailure', 'The upstream answered with status 500.', 500),
    ],
    [
      'a status whose body is withheld',
      received(500),
      { examined: WITHHELD },
      'HttpFailure',
      failure(
        'HttpFailure',
        'The upstream answered with status 500. Its body could not be examined: so.',
        500,
      ),
    ],
    [
      'a redirect',
      received(302, { notFollowed: 'so.' }),
      {},
      'HttpFailure',
      failure(
        'HttpFailure',
        'The upstream answered with a redirect (302) that was not followed: so.',
        302,
      ),
    ],
    [
      'text',
      received(201),
      { examined: TEXT },
      'ResponseNotJson',
      failure(
        'ResponseNotJson',
        `${ACCEPTED} is not JSON in UTF-8; a \`response_type\` of \`auto\` takes text and bytes, too.`,
        201,
        ',"body":"<p>"',
      ),
    ],
    [
      'a body that is withheld',
      received(201),
      { examined: WITHHELD },
      'RequestFailed',
      failure('RequestFailed', `${ACCEPTED} could not be examined: so.`, 201),
    ],
    [
      'violations',
      received(201),
      { examined: { ...BYTES_BODY, violations: VIOLATIONS } as RedactedBody },
      'SchemaValidationFailed',
      failure(
        'SchemaValidationFailed',
        '/a is bad; the body is worse',
        201,
        ',"body":{"id":1.0},"violations":[{"path":"/a","pointer":"/a","message":"/a is bad"},{"path":"","pointer":"","message":"the body is worse"}]',
      ),
    ],
    [
      'too large',
      received(201, { body: { bytes: Buffer.alloc(1), fault: 'too_large' } }),
      {},
      'ResponseTooLarge',
      failure(
        'ResponseTooLarge',
        `${ACCEPTED} is larger than this executor takes; ask for less, for example page by page.`,
        201,
      ),
    ],
    [
      'undecodable',
      received(201, { body: { bytes: Buffer.alloc(1), fault: 'undecodable' } }),
      {},
      'RequestFailed',
      failure(
        'RequestFailed',
        `${ACCEPTED} could not be decompressed as its content-encoding says.`,
        201,
      ),
    ],
    [
      'an unknown coding',
      received(201, { body: { bytes: Buffer.alloc(1), fault: 'unknown_coding' } }),
      {},
      'RequestFailed',
      failure(
        'RequestFailed',
        `${ACCEPTED} has a content-encoding other than one of gzip, deflate, br and zstd.`,
        201,
      ),
    ],
  ])('%s', (_name, result, setup, error, written) => {
    const { text: json, ...outcome } = outcomeOf(result, setup);
    expect(json).toBe(written);
    expect(outcome).toMatchObject({
      outcome: 'failure',
      error,
      status: (result as { response: { status: number } }).response.status,
    });
  });

  it.each<
    [
      name: string,
      result: AttemptResult,
      setup: Setup,
      error: string,
      message: string,
      last: string | undefined,
    ]
  >([
    [
      'exhausted',
      FAULT,
      { attempts: 3, reason: 'exhausted' },
      'RetriesExhausted',
      'All 3 attempts failed. The last: Broke.',
      'ConnectFailure',
    ],
    [
      'draining',
      FAULT,
      { attempts: 2, reason: 'draining' },
      'RetriesExhausted',
      'The executor is shutting down; attempt 3 was not made. The last: Broke.',
      'ConnectFailure',
    ],
    [
      'out of time',
      FAULT,
      { attempts: 2, reason: 'out_of_time' },
      'Timeout',
      'The total time leaves no room for another attempt. The last: Broke.',
      'ConnectFailure',
    ],
    [
      'out of time after a timeout',
      TIMEOUT,
      { attempts: 2, reason: 'out_of_time' },
      'Timeout',
      'The total time leaves no room for another attempt. The last: Late.',
      undefined,
    ],
    [
      'out of time in the first attempt',
      TIMEOUT,
      { attempts: 1, reason: 'out_of_time' },
      'Timeout',
      'Late.',
      undefined,
    ],
    [
      'out of time after one fault',
      FAULT,
      { attempts: 1, reason: 'out_of_time' },
      'Timeout',
      'The total time leaves no room for another attempt. The last: Broke.',
      'ConnectFailure',
    ],
    [
      'exhausted by timeouts',
      TIMEOUT,
      { attempts: 3, reason: 'exhausted' },
      'RetriesExhausted',
      'All 3 attempts failed. The last: Late.',
      'Timeout',
    ],
  ])('%s', (_name, result, setup, error, message, last) => {
    const { text: written, ...outcome } = outcomeOf(result, setup);
    expect(outcome).toMatchObject({ outcome: 'failure', error, attempts: setup.attempts });
    const history = (setup.attempts ?? 1) > 1 ? [RECORD] : [];
    const lastError =
      last === undefined
        ? {}
        : { last_error: { error: last, message: 'fault' in result ? result.fault.message : '' } };
    expect(JSON.parse(written)).toEqual({
      outcome: 'failure',
      error,
      message,
      attempts: setup.attempts,
      history,
      ...lastError,
    });
  });

  it('retries that end with a status show it in the last error alone', () => {
    const headers = new Map([['authorization', `Bearer ${SECRET}`]]);
    const result = received(503, { headers: { a: SECRET } });
    const { text: written, ...outcome } = outcomeOf(result, {
      attempts: 3,
      reason: 'exhausted',
      headers,
      examined: BYTES_BODY,
    });
    expect(outcome).toEqual({
      outcome: 'failure',
      error: 'RetriesExhausted',
      attempts: 3,
      redactions: 1,
    });
    expect(JSON.parse(written)).toEqual({
      outcome: 'failure',
      error: 'RetriesExhausted',
      message: 'All 3 attempts failed. The last: The upstream answered with status 503.',
      attempts: 3,
      history: [RECORD],
      last_error: {
        error: 'HttpFailure',
        message: 'The upstream answered with status 503.',
        status: 503,
        headers: { a: 'REDACTED' },
        body: { id: 1 },
      },
      redactions: 1,
    });
  });

  it('a failure says when the upstream wants to be asked again', () => {
    const written = (setup: Setup) => JSON.parse(outcomeOf(received(429), setup).text);
    expect(written({ retryAfterMs: 0 })).toMatchObject({ status: 429, retry_after_ms: 0 });
    expect(written({ retryAfterMs: 120_000, attempts: 3, reason: 'exhausted' })).toMatchObject({
      error: 'RetriesExhausted',
      retry_after_ms: 120_000,
      last_error: { status: 429, retry_after_ms: 120_000 },
    });
    const fault = outcomeOf(FAULT, { retryAfterMs: 1, attempts: 3, reason: 'exhausted' });
    expect(JSON.parse(fault.text)).toMatchObject({
      retry_after_ms: 1,
      last_error: { error: 'ConnectFailure', message: 'Broke.' },
    });
    expect(JSON.parse(fault.text).last_error).not.toHaveProperty('retry_after_ms');
    expect(written({})).not.toHaveProperty('retry_after_ms');
    expect(outcomeOf(received(200), { examined: BYTES_BODY, retryAfterMs: 1 }).text).not.toContain(
      'retry_after_ms',
    );
  });

  it('a status says why its body is not of the type', () => {
    const excerpt: RedactedBody = { kind: 'excerpt', text: 'x', reason: 'binary', redactions: 0 };
    const written = (setup: Setup) => JSON.parse(outcomeOf(received(500), setup).text);
    const message = 'The upstream answered with status 500.';
    expect(written({ examined: excerpt, responseType: 'text' })).toMatchObject({
      error: 'HttpFailure',
      message: `${message} Its body is binary.`,
    });
    for (const setup of [{ examined: excerpt }, { responseType: 'text' }] as const)
      expect(written(setup)).toMatchObject({ error: 'HttpFailure', message });
  });
});
