import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import {
  exceededBounds,
  listOf,
  membersOf,
  nested,
  post,
  RESPONSE_LIMIT,
  type ServiceProcess,
  startService,
  startUpstream,
  type TextResponse,
  type Upstream,
} from '@gatehouse/testing';
import { afterAll, describe, expect, it } from 'vitest';

const KIB = 1_024;
const MIB = 1_024 * KIB;
/** Just below the limits, so that everything is read completely. */
const REQUEST = MIB - KIB;
const RESPONSE = RESPONSE_LIMIT - KIB;

/** Hostile exchange and the expected answers. */
interface Attack {
  /** Members that follow `"method"` and `"url"` in the action, as an object or as JSON text. */
  readonly action?: object | string;
  /**
   * Upstream's response body before `encode`. If `wire` is set, the upstream sends exactly those
   * bytes instead.
   */
  readonly body?: string;
  readonly head?: string;
  readonly encode?: (body: string) => Buffer;
  readonly wire?: string;
  readonly url?: string;
  /** Headers of the request to the executor. */
  readonly headers?: Record<string, string>;
  /** Number of concurrent requests. */
  readonly times?: number;
  /** Outcomes, errors or problem codes that are accepted. Each request must get one of them. */
  readonly answers: readonly string[];
}

const repeated = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length));
const quoted = (unit: string) => `"${repeated(unit, RESPONSE)}"`;
const range = <T>(length: number, each: (n: number) => T): T[] =>
  Array.from({ length }, (_, n) => each(n));
const numbered = (length: number, name: string, value: (n: number) => unknown) =>
  Object.fromEntries(range(length, (n) => [`${name}${n}`, value(n)]));
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const KEY = { 'idempotency-key': 'a' };
const TOKEN = 'tok_7f3a9c2e5b8d1046af93ffeeddcc';
const CHECKED = {
  ...bearer(TOKEN),
  response_schema: {
    type: ['array', 'object'],
    required: ['id'],
    items: { type: ['object', 'array', 'number'], maximum: 1e21 },
  },
};
const FORM = '"headers":{"content-type":"application/x-www-form-urlencoded"},"body"';
const formOf = (name: number) => `${FORM}:{"${'n'.repeat(name)}":${listOf('1', REQUEST - name)}}`;
const longKey = {
  properties: { ['k'.repeat(11_000)]: { properties: numbered(3_000, 'm', () => 1) } },
};
const doubling = {
  $ref: '#/$defs/d0',
  $defs: {
    ...numbered(60, 'd', (n) => ({ anyOf: range(2, () => ({ $ref: `#/$defs/d${n + 1}` })) })),
    d60: { type: 'string' },
  },
};
const NOT_EMPTY = { type: 'string', minLength: 1 };
const eachIsString = { additionalProperties: { additionalProperties: { type: 'string' } } };
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const gzip = { head: 'content-encoding: gzip', encode: gzipSync };
const brotli = (body: string) =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

const ATTACKS: Record<string, Attack> = {
  // Requests.
  'bodies of 350,000 empty lists, 40 at once': {
    action: `"body":${listOf('[]', REQUEST)}`,
    times: 40,
    answers: ['success'],
  },
  'a body that repeats one member 170,000 times': {
    action: `"body":{${repeated('"a":1,', REQUEST)}"a":1}`,
    answers: ['MalformedJson'],
  },
  'a body 500,000 levels deep': {
    action: `"body":${nested(REQUEST / 2, '[', ']', '')}`,
    answers: ['MalformedJson'],
  },
  'a cookie of 900,000 semicolons': {
    action: { headers: { cookie: ';'.repeat(900_000) } },
    answers: ['InvalidAction'],
  },
  '32 KiB of credential parameters, 100 at once': {
    action: { headers: numbered(4, 'x-api-key-', () => `Digest ${'a=xxxxxx,'.repeat(880)}`) },
    times: 100,
    answers: ['success'],
  },
  'forms that repeat a name of 600 characters 500,000 times, three at once': {
    action: formOf(600),
    times: 3,
    answers: ['InvalidAction'],
  },
  'a form with a list of objects whose name has 900 KB': {
    action: `${FORM}:{"${'~'.repeat(900 * KIB)}":${listOf('{}', KIB)}}`,
    answers: ['InvalidAction'],
  },
  'a form that is almost too large': { action: formOf(1), answers: ['success'] },
  'a large form for a host that is not allowed': {
    action: formOf(2_000),
    url: 'http://evil.example',
    answers: ['HostNotAllowed'],
  },
  'a body of 350,000 empty lists with a key': {
    action: `"body":${listOf('[]', REQUEST)}`,
    headers: KEY,
    times: 20,
    answers: ['InvalidAction'],
  },
  'a query of 70,000 empty lists': {
    action: { query: numbered(70_000, 'n', () => []) },
    answers: ['InvalidAction'],
  },
  // Schemas.
  'a schema 100,000 levels deep': {
    action: `"response_schema":${nested(100_000, '{"not":', '}', '{}')}`,
    answers: ['MalformedJson'],
  },
  'a schema with 3,000 faults below a key of 11,000 characters': {
    action: { response_schema: longKey, ...bearer(TOKEN) },
    answers: ['InvalidResponseSchema'],
  },
  'a schema whose references double 60 times': {
    action: { response_schema: doubling },
    answers: ['SchemaValidationFailed'],
  },
  'a pattern with counts in counts': {
    action: { response_schema: { pattern: '^((a{1,1000}){1,1000}){1,1000}$' } },
    body: `"${'a'.repeat(40)}!"`,
    answers: ['SchemaValidationFailed'],
  },
  'a pattern that backtracks over 10 MiB': {
    action: { response_schema: { pattern: '(x+x+)+y' } },
    body: quoted('x'),
    answers: ['SchemaValidationFailed'],
  },
  'uniqueItems of 700,000 objects': {
    action: { response_schema: { uniqueItems: true } },
    body: `[${range(700_000, (n) => `{"n":${n % 10}}`).join(',')}]`,
    answers: ['SchemaValidationFailed'],
  },
  'a million items that break the schema': {
    action: { response_schema: { items: { type: 'string' } } },
    body: listOf('1', RESPONSE),
    answers: ['SchemaValidationFailed'],
  },
  '25,000 items and a schema of 2,500 properties': {
    action: { response_schema: { items: { properties: numbered(2_500, 'p', () => NOT_EMPTY) } } },
    body: listOf(`{"id":"${'x'.repeat(400)}"}`, RESPONSE),
    answers: ['success', 'SchemaValidationFailed'],
  },
  '20 violations below a key of 6 MB, in gzip': {
    action: { response_schema: eachIsString, ...bearer(TOKEN) },
    body: `{"${'k'.repeat(6 * MIB)}":${membersOf(20)}}`,
    ...gzip,
    answers: ['SchemaValidationFailed'],
  },
  '15,000 violations below a name of 30 KB': {
    action: { response_schema: { additionalProperties: { items: { type: 'string' } } } },
    body: `{"${'~'.repeat(30 * KIB)}":${listOf('1', 30 * KIB)}}`,
    answers: ['SchemaValidationFailed'],
  },
  // Credentials and their echoes.
  'a credential made for a text of escapes': {
    action: bearer(`${'a'.repeat(8_000)}b`),
    body: quoted('\\u0061'),
    answers: ['success', 'RequestFailed'],
  },
  'a credential echoed 300,000 times': {
    action: bearer(TOKEN),
    body: quoted(TOKEN),
    answers: ['RequestFailed'],
  },
  'a credential echoed 9,900 times, before 9 MB of percent signs': {
    action: { ...bearer(TOKEN), response_type: 'text' },
    body: repeated(`%74${TOKEN.slice(1)} `, 9_900 * (TOKEN.length + 3)).padEnd(RESPONSE, '%'),
    answers: ['success'],
  },
  '400 strings of 25 KB with a credential in each': {
    action: bearer(TOKEN),
    body: JSON.stringify(range(400, () => repeated('\\"%', 15 * KIB) + TOKEN)),
    answers: ['success'],
  },
  'a credential that overlaps a million strings': {
    action: { headers: { 'x-token': '","aaaaaaaa","' } },
    body: `["${repeated('aaaaaaaa","', RESPONSE - KIB)}"]`,
    answers: ['RequestFailed'],
  },
  '16 credentials with one beginning': {
    action: {
      headers: numbered(16, 'x-token-', (n) => `${'a'.repeat(150)}${n}${'b'.repeat(100)}`),
    },
    body: quoted('a'),
    answers: ['success', 'RequestFailed'],
  },
  // Responses.
  '5 million empty lists with credential and schema, 12 at once': {
    action: CHECKED,
    body: listOf('[]', RESPONSE),
    times: 12,
    answers: ['SchemaValidationFailed', 'success'],
  },
  '750,000 members with credential and schema': {
    action: CHECKED,
    body: membersOf(750_000),
    answers: ['SchemaValidationFailed'],
  },
  '2 million members that are shortened': {
    action: { max_bytes: 9_000_000 },
    body: `{${repeated('"":1,', RESPONSE - KIB)}"":1}`,
    answers: ['success'],
  },
  '5 million numbers that are shortened, 12 at once': {
    action: { max_bytes: 10_000_000 },
    body: listOf('1', RESPONSE),
    times: 12,
    answers: ['success'],
  },
  '700,000 different names of which none is selected': {
    action: { fields: 'a' },
    body: membersOf(700_000),
    answers: ['success'],
  },
  '3.5 million empty objects that are not stored': {
    headers: KEY,
    body: listOf('{}', RESPONSE),
    answers: ['success'],
  },
  'objects 1.7 million levels deep': {
    action: CHECKED,
    body: nested(RESPONSE / 6, '{"a":', '}', ''),
    answers: ['ResponseNotJson'],
  },
  'an error page of percent escapes': {
    action: bearer(TOKEN),
    wire: `HTTP/1.1 404 Not Found\r\ncontent-length: ${RESPONSE}\r\n\r\n${'%'.repeat(RESPONSE)}`,
    answers: ['HttpFailure'],
  },
  'a text of 10 MiB of quotes, which JSON escapes': {
    action: { response_type: 'text' },
    body: '"'.repeat(RESPONSE),
    answers: ['success'],
  },
  'a gzip bomb of 256 MiB': {
    body: ' '.repeat(256 * MIB),
    ...gzip,
    answers: ['ResponseTooLarge'],
  },
  'a brotli bomb of 256 MiB': {
    body: ' '.repeat(256 * MIB),
    head: 'content-encoding: br',
    encode: brotli,
    answers: ['ResponseTooLarge'],
  },
  '400,000 empty gzip members': {
    body: '',
    head: 'content-encoding: gzip',
    encode: () => Buffer.alloc(400_000 * gzipSync('').length, gzipSync('')),
    answers: ['success', 'RequestFailed'],
  },
  // Framing.
  'a million chunks of one byte': {
    wire: `${CHUNKED}${repeated('1\r\n1\r\n', 6 * MIB)}0\r\n\r\n`,
    answers: ['success'],
  },
  'trailers without end': {
    wire: `${CHUNKED}1\r\n1\r\n0\r\n${repeated('x-a: b\r\n', 8 * MIB)}`,
    answers: ['RequestFailed'],
  },
  '100,000 informational responses': {
    wire: `${repeated('HTTP/1.1 103 E\r\n\r\n', 2 * MIB)}HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n1`,
    answers: ['success', 'RequestFailed'],
  },
};

function wireOf({ body = '{"id":7}', head, encode = Buffer.from, wire }: Attack): Buffer {
  if (wire !== undefined) return Buffer.from(wire);
  const bytes = encode(body);
  const lines = ['HTTP/1.1 200 OK', 'content-type: application/json', 'connection: close'];
  if (head !== undefined) lines.push(head);
  return Buffer.concat([
    Buffer.from(`${lines.join('\r\n')}\r\ncontent-length: ${bytes.length}\r\n\r\n`),
    bytes,
  ]);
}

/** Starts an upstream that answers every request with these bytes. */
const answering = (bytes: Buffer): Promise<Upstream> =>
  startUpstream((_request, response) => void response.socket?.end(bytes));

/** Returns the text of an action. Its method is POST, which is not retried. */
function textOf({ action = {}, url }: Attack, { origin }: Upstream): string {
  const members = typeof action === 'string' ? action : JSON.stringify(action).slice(1, -1);
  return `{"method":"POST","url":"${url ?? origin}"${members && `,${members}`}}`;
}

function labelOf({ text }: TextResponse): string {
  const [, outcome, error] = /^\{"outcome":"(\w+)"(?:,"error":"(\w+)")?/.exec(text) ?? [];
  return error ?? outcome ?? JSON.parse(text).code;
}

/** Small heap, so that unbounded growth ends the process. */
const startAttacked = () =>
  startService('executor', {
    NODE_OPTIONS: '--max-old-space-size=256',
    HTTP_EXECUTOR_STORE: `sqlite:${mkdtempSync(join(folder, 'store-'))}/keys.db`,
  });

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function warmUp({ url }: ServiceProcess): Promise<void> {
  await using upstream = await startUpstream({ body: { id: 7 } });
  const action = { method: 'POST', url: upstream.origin, body: { id: 7 }, ...CHECKED };
  for (let n = 0; n < 20; n++) await post(`${url}/execute`, JSON.stringify(action));
}

// docs/contract.md, "Bounds".
describe('a service under attack answers correctly and stays within its bounds', () => {
  it.each(Object.entries(ATTACKS))('%s', async (_name, attack) => {
    const { times = 1, body = '', wire, headers } = attack;
    await using upstream = await answering(wireOf(attack));
    await using service = await startAttacked();
    await warmUp(service);
    const text = textOf(attack, upstream);
    const url = `${service.url}/execute`;
    const size = Math.min(RESPONSE_LIMIT, Math.max(body.length, wire?.length ?? 0));
    let answers: TextResponse[] = [];
    const broken = await exceededBounds(
      service,
      async () => {
        answers = await Promise.all(range(times, () => post(url, text, headers)));
        return answers;
      },
      { requests: times, inFlight: times * Math.max(text.length, size), responseBytes: size },
    );
    const unexpected = answers.map(labelOf).filter((label) => !attack.answers.includes(label));
    expect([...new Set(unexpected), ...broken]).toEqual([]);
  });
});

const asRequest = (text: string) =>
  `POST /execute HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
  `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

it('100 replays of an outcome of 1 MiB stay within its bounds', async () => {
  const attack = { body: listOf('"abc"', MIB - KIB), headers: KEY, answers: [] };
  await using upstream = await answering(wireOf(attack));
  await using service = await startAttacked();
  await warmUp(service);
  const execute = () => post(`${service.url}/execute`, textOf(attack, upstream), KEY);
  await execute();
  const bounds = { requests: 100, inFlight: 100 * MIB, responseBytes: MIB };
  const broken = await exceededBounds(service, () => Promise.all(range(100, execute)), bounds);
  expect(broken).toEqual([]);
});

describe('misbehaving callers', () => {
  const LARGE = { body: listOf('[]', RESPONSE), answers: [] };

  it('50 that disconnect while they read 10 MiB', async () => {
    await using upstream = await answering(wireOf(LARGE));
    await using service = await startAttacked();
    await warmUp(service);
    const leave = async (_: unknown, n: number) => {
      const socket = connect(service.port, '127.0.0.1').on('error', () => {});
      socket.write(asRequest(textOf(LARGE, upstream)));
      await delay(20 * (n % 10));
      socket.destroy();
    };
    const attack = () => Promise.all(Array.from({ length: 50 }, leave)).then(() => []);
    const bounds = { requests: 50, inFlight: 50 * RESPONSE_LIMIT };
    expect(await exceededBounds(service, attack, bounds)).toEqual([]);
  });

  // The service disconnects callers that read nothing for 20 s (docs/contract.md, "Bounds").
  it('25 that never read 10 MiB are disconnected', async () => {
    await using upstream = await answering(wireOf(LARGE));
    await using service = await startAttacked();
    await warmUp(service);
    const ask = () => {
      const socket = connect(service.port, '127.0.0.1')
        .on('error', () => {})
        .pause();
      socket.write(asRequest(textOf(LARGE, upstream)));
      return socket;
    };
    // Executions that get no memory in time end with a short failure or a 429, which can always be
    // sent, even if the client does not read it.
    const SHORT = new Set(['Timeout', 'RetriesExhausted', 'TooManyRequests']);
    const hasEnded = ({ msg, error, code }: Record<string, unknown>) =>
      msg === 'request aborted' || SHORT.has(String(error ?? code));
    const done = () => service.lines().filter(hasEnded).length;
    const attack = async () => {
      const sockets = range(25, ask);
      await expect.poll(done, { timeout: 120_000 }).toBe(25);
      for (const socket of sockets) socket.destroy();
      return [];
    };
    const bounds = { requests: 25, inFlight: 25 * RESPONSE_LIMIT };
    expect(await exceededBounds(service, attack, bounds)).toEqual([]);
  });

  it('100 with bodies of 16 MiB are all refused', async () => {
    await using service = await startAttacked();
    const body = Buffer.alloc(16 * MIB, '[');
    let statuses: number[] = [];
    const attack = async () => {
      const refused = range(100, () => post(`${service.url}/execute`, body).catch(() => undefined));
      const answers = (await Promise.all(refused)).flatMap((answer) => answer ?? []);
      statuses = answers.map(({ status }) => status);
      return answers;
    };
    expect(await exceededBounds(service, attack, { requests: 100 })).toEqual([]);
    expect(new Set(statuses)).toEqual(new Set([413]));
  });
});
