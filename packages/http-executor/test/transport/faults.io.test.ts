import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { METHODS, RETRIED_METHODS } from '@gatehouse/contracts';
import {
  freePort,
  type RawUpstream,
  selfSigned,
  shared,
  startRawUpstream,
  startUpstream,
} from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.ts';
import { startExecutor } from '../support/executor.ts';
import { record, threeRecords } from '../support/outcomes.ts';
import { resolver } from '../support/resolver.ts';

const ATTEMPT_MS = 400;
const MAX_BYTES = 10_000;

const clock = fakeClock();
const late = () => clock.pass(ATTEMPT_MS);
const { resolve } = resolver(
  {
    'silent.test': ['never'],
    'unreachable.test': [['224.0.0.1']],
    ...Object.fromEntries(
      ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'].map((code) => [`${code.toLowerCase()}.test`, [code]]),
    ),
    'empty.test': [[]],
    localhost: [['127.0.0.1']],
  },
  late,
);
const limits = { attemptTimeoutMs: ATTEMPT_MS, maxResponseBytes: MAX_BYTES };
const executor = shared(() =>
  startExecutor({
    clock,
    resolve,
    ...limits,
    networks: ['127.0.0.0/8', '224.0.0.0/4'],
    hosts: ['127.0.0.1', 'localhost', '*.test'],
  }),
);

/** Failure that a fault must cause. Only a failure with a classification is retried. */
interface Verdict {
  readonly error: string;
  readonly classification?: 'connect' | 'timeout';
  readonly message: RegExp;
}
const BROKEN: Verdict = {
  error: 'ConnectFailure',
  classification: 'connect',
  message: /(was lost|is incomplete).*\. (It may have acted on the request|Nothing was sent)\.$/,
};
const LATE: Verdict = {
  error: 'Timeout',
  classification: 'timeout',
  message: /did not send its whole response within 400 ms; it may have acted on the request\.$/,
};
const MALFORMED = { error: 'RequestFailed', message: /It may have acted on the request\.$/ };
const NOT_JSON = { error: 'ResponseNotJson', message: /status 200.* not JSON/ };
const TOO_LARGE = { error: 'ResponseTooLarge', message: /larger than .*, the limit/ };
const UNDECODABLE = { error: 'RequestFailed', message: /content-encoding/ };

type Act = (socket: Socket) => void;
const fin: Act = (socket) => socket.end();
const rst: Act = (socket) => socket.resetAndDestroy();
const hold: Act = () => {};
const sends =
  (bytes: string | Buffer, then: Act = hold): Act =>
  (socket) =>
    void socket.write(bytes, () => then(socket));
const ok = (lines: string, body: string | Buffer = '', then: Act = hold, status = '200 OK') =>
  sends(
    Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines}\r\n\r\n`), Buffer.from(body)]),
    then,
  );
const whole = (body: string | Buffer, lines = 'x-a: b') =>
  ok(`${lines}\r\ncontent-length: ${body.length}`, body);

const DROPS = 10;
/** Keeps writing small pieces. The attempt times out after ten of them. */
const drip =
  (head: string, drop: string): Act =>
  (socket) => {
    socket.write(head);
    let drops = 0;
    const timer = setInterval(() => {
      socket.write(drop);
      if (++drops <= DROPS) clock.pass(ATTEMPT_MS / DROPS);
    }, 1);
    socket.on('close', () => clearInterval(timer));
  };

const CHUNKED = 'transfer-encoding: chunked';
const TEXT = JSON.stringify('some text that is long enough to be cut');
const ZIPPED = gzipSync(TEXT);
const WRONG_SUM = Buffer.from(ZIPPED.map((byte, at) => byte ^ Number(at === ZIPPED.length - 8)));
const BLANKS = Buffer.alloc(3_000_000, ' ');
const coded = (coding: string, body: Buffer) => whole(body, `content-encoding: ${coding}`);

/** Faults that the upstream causes when the connection opens. */
const AT_ONCE: [name: string, act: Act, verdict: Verdict][] = [
  ['FIN', fin, BROKEN],
  ['RST', rst, BROKEN],
];
/** Faults that the upstream causes when a request arrives. */
const OF_HEADS: typeof AT_ONCE = [
  ['silence', late, LATE],
  ['dripped headers', drip('HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'), LATE],
  ['one dripped header', drip('HTTP/1.1 200 OK\r\nx-a: ', 'b'), LATE],
  ['a flood of 102', drip('', 'HTTP/1.1 102 Processing\r\n\r\n'), LATE],
  ['a flood of 103', drip('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), LATE],
  ['FIN before the head', fin, BROKEN],
  ['RST before the head', rst, BROKEN],
  ['FIN in the head', sends('HTTP/1.1 200 OK\r\ncontent-le', fin), BROKEN],
  ['RST in the head', sends('HTTP/1.1 200 OK\r\ncontent-le', rst), BROKEN],
  ['another protocol', sends('SSH-2.0-OpenSSH_9.9\r\n'), MALFORMED],
  ['an HTTP/0.9 answer', sends('<p>hello</p>\n', fin), MALFORMED],
  ['bytes of no protocol', sends(Buffer.alloc(2_000, '\0\x01\xfe')), MALFORMED],
  ['headers of 70 KB', ok(`a: ${'a'.repeat(70_000)}`), MALFORMED],
];
/** Faults in a response body, which a response to HEAD does not have. */
const OF_BODIES: typeof AT_ONCE = [
  ['FIN in the body', ok('content-length: 20', '{"a":', fin), BROKEN],
  ['RST in the body', ok('content-length: 20', '{"a":', rst), BROKEN],
  ['FIN before the body', ok('content-length: 20', '', fin), BROKEN],
  ['FIN in a closing body', ok('content-length: 9\r\nconnection: close', '{', fin), BROKEN],
  ['FIN in a chunk', ok(CHUNKED, '9\r\n{"a":', fin), BROKEN],
  ['FIN between chunks', ok(CHUNKED, '2\r\n{}\r\n', fin), BROKEN],
  ['RST between chunks', ok(CHUNKED, '2\r\n{}\r\n', rst), BROKEN],
  ['FIN in the body of a 404', ok('content-length: 9', '{', fin, '404 No'), BROKEN],
  ['FIN in gzip', ok('content-encoding: gzip\r\ncontent-length: 99', ZIPPED, fin), BROKEN],
  ['a dripped body', drip('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', ' '), LATE],
  ['dripped chunks', drip(`HTTP/1.1 200 OK\r\n${CHUNKED}\r\n\r\n`, '1\r\n \r\n'), LATE],
  ['a dripped body without length', drip('HTTP/1.1 200 OK\r\n\r\n', ' '), LATE],
  ['a dripped 404', drip('HTTP/1.1 404 No\r\ncontent-length: 100000\r\n\r\n', ' '), LATE],
  ['a dripped 302', drip('HTTP/1.1 302 Go\r\ncontent-length: 9999\r\n\r\n', ' '), LATE],
  ['a bad chunk size', ok(CHUNKED, 'size\r\n{}\r\n0\r\n\r\n'), MALFORMED],
  ['a chunk longer than its size', ok(CHUNKED, '1\r\n{}\r\n0\r\n\r\n'), MALFORMED],
  ['no JSON', whole('<p>hello</p>'), NOT_JSON],
  ['no UTF-8', whole(Buffer.from([0x22, 0xff, 0x22])), NOT_JSON],
  ['too large', whole(JSON.stringify('x'.repeat(MAX_BYTES))), TOO_LARGE],
  ['too large, until close', ok('connection: close', BLANKS), TOO_LARGE],
  ['a gzip bomb', coded('gzip', gzipSync(BLANKS)), TOO_LARGE],
  ['a br bomb', coded('br', brotliCompressSync(BLANKS)), TOO_LARGE],
  ['gzip cut short', coded('gzip', ZIPPED.subarray(0, -12)), UNDECODABLE],
  ['gzip with a wrong checksum', coded('gzip', WRONG_SUM), UNDECODABLE],
];

const answerGood = (socket: Socket, { heads }: RawUpstream) =>
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n${heads.at(-1)?.startsWith('HEAD') ? '' : 'true'}`,
  );

/** Starts an upstream that causes the fault `times` times, and then answers normally. */
async function startFaulty(on: 'connected' | 'asked', act: Act, times: number) {
  let met = 0;
  const meet = (socket: Socket): boolean => {
    met += 1;
    if (met > times) return false;
    act(socket);
    return true;
  };
  const upstream: RawUpstream = await startRawUpstream({
    connected: (socket) => {
      if (on === 'connected') meet(socket);
    },
    asked: (socket) => {
      if (on === 'asked' ? !meet(socket) : met > times) answerGood(socket, upstream);
    },
  });
  return { upstream, met: () => Math.min(met, times) };
}

async function checkAlways(action: { method: string; url: string }, verdict: Verdict) {
  const { classification, ...failed } = verdict;
  const last = { error: failed.error, message: expect.stringMatching(failed.message) };
  clock.restart();
  const outcome = await executor().failure(action);
  if (classification === undefined)
    return expect(outcome).toMatchObject({ ...last, attempts: 1, history: [] });
  if (!RETRIED_METHODS.some((each) => each === action.method))
    return expect(outcome).toMatchObject({
      ...last,
      attempts: 1,
      history: [record(1, classification, 0)],
    });
  expect(clock.waits).toEqual([200, 400]);
  const { error, attempts, history, last_error } = outcome;
  expect({ error, attempts, history }).toEqual({
    error: 'RetriesExhausted',
    attempts: 3,
    history: threeRecords(classification),
  });
  expect(last_error).toEqual(last);
}

type Case = [
  name: string,
  on: 'connected' | 'asked',
  act: Act,
  Verdict,
  methods: readonly string[],
];
const WITH_BODY = METHODS.filter((method) => method !== 'HEAD');
const CASES: Case[] = [
  ...AT_ONCE.map(([name, ...rest]): Case => [`${name} at once`, 'connected', ...rest, METHODS]),
  ...OF_HEADS.map(([name, ...rest]): Case => [name, 'asked', ...rest, METHODS]),
  ...OF_BODIES.map(([name, ...rest]): Case => [name, 'asked', ...rest, WITH_BODY]),
];

describe('a fault is retried if it is transient and the method may be repeated', () => {
  it.each(CASES)('%s', async (_name, on, act, verdict, methods) => {
    for (const method of methods) {
      const { upstream, met } = await startFaulty(on, act, Infinity);
      await using _ = upstream;
      await checkAlways({ method, url: upstream.origin }, verdict);
      const retried = verdict.classification && RETRIED_METHODS.some((each) => each === method);
      expect(met(), method).toBe(retried ? 3 : 1);
      if (verdict.classification !== undefined)
        await expect.poll(() => upstream.open, { interval: 5 }).toBe(0);
    }
  });

  it.each(CASES.filter(([, , , { classification }]) => classification !== undefined))(
    '%s, once',
    async (_name, on, act, { classification = 'connect' }) => {
      for (const method of ['GET', 'PUT']) {
        const { upstream } = await startFaulty(on, act, 1);
        await using _ = upstream;
        expect(await executor().success({ method, url: upstream.origin }), method).toMatchObject({
          attempts: 2,
          history: [record(1, classification, 200)],
        });
      }
    },
  );
});

const stranger = await selfSigned('localhost');
const elsewhere = await selfSigned('elsewhere.test');
const UNCONNECTED = { error: 'ConnectFailure', classification: 'connect' } as const;
const NO_TLS = {
  error: 'ConnectFailure',
  message: /(TLS connection|speak TLS).* Nothing was sent\. Another attempt will not help\.$/,
};

/** URLs to which no connection can be opened, so that nothing is sent. */
const UNREACHED: [url: string, verdict: Verdict][] = [
  ...['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'].map((code): [string, Verdict] => [
    `http://${code}.test/`,
    {
      ...UNCONNECTED,
      message: new RegExp(`resolve.*\\(${code}\\)\\. Nothing was sent\\.$`),
    },
  ]),
  ['http://empty.test/', { ...UNCONNECTED, message: /has no address \(ENODATA\)/ }],
  [
    // This name resolves to a multicast address, and Linux does not connect TCP to such addresses.
    'http://unreachable.test/',
    { ...UNCONNECTED, message: /the network is unreachable \(ENETUNREACH\)\. Nothing was sent\.$/ },
  ],
  [
    'http://silent.test/',
    {
      error: 'Timeout',
      classification: 'timeout',
      message: /^`silent.test` could not be reached within 400 ms\. Not/,
    },
  ],
];

describe('a connection that cannot be opened', () => {
  it.each(UNREACHED)('%s', async (url, verdict) => {
    // Try two methods only, because the executor limits the number of lookups that hang.
    for (const method of ['GET', 'POST']) await checkAlways({ method, url }, verdict);
  });

  it('is a failure if nothing listens', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`;
    const message = /^`127.0.0.1:\d+` .*refused \(ECONNREFUSED\)\. Nothing was sent\.$/;
    for (const method of METHODS) await checkAlways({ method, url }, { ...UNCONNECTED, message });
  });

  it('opens as soon as the upstream listens', async () => {
    const port = await freePort();
    await using stack = new AsyncDisposableStack();
    const wait = async () => void stack.use(await startUpstream({}, undefined, port));
    await using own = await startExecutor({ clock: { ...fakeClock(), wait } });
    expect(await own.success({ method: 'GET', url: `http://127.0.0.1:${port}/` })).toMatchObject({
      attempts: 2,
      history: [record(1, 'connect', 200)],
    });
  });

  it.each<[name: string, act: Act, verdict: Verdict]>([
    [
      'is not answered',
      late,
      {
        error: 'Timeout',
        classification: 'timeout',
        message: /could not be reached within 400 ms\. Nothing was sent\.$/,
      },
    ],
    ['ends with FIN', fin, { ...UNCONNECTED, message: /Nothing was sent\.$/ }],
    ['ends with RST', rst, { ...UNCONNECTED, message: /Nothing was sent\.$/ }],
    ['is answered in HTTP', sends('HTTP/1.1 400 Bad Request\r\n\r\n', fin), NO_TLS],
  ])('is a failure if its TLS handshake %s', async (_name, act, verdict) => {
    for (const method of METHODS) {
      const onHello = (socket: Socket) => void socket.once('data', () => act(socket));
      await using upstream = await startRawUpstream({ connected: onHello });
      await checkAlways({ method, url: `https://localhost:${upstream.port}/` }, verdict);
      await expect.poll(() => upstream.open, { interval: 5 }).toBe(0);
    }
  });

  it.each([
    ['is from an unknown authority', stranger, undefined],
    ['is for another name', elsewhere, elsewhere.cert],
  ])('is a failure if its certificate %s', async (_name, certificate, ca) => {
    await using upstream = await startUpstream({}, certificate);
    await using own = await startExecutor({ clock, ...(ca && { upstreamCa: ca }) });
    for (const method of METHODS)
      expect(await own.outcome({ method, url: upstream.origin })).toEqual({
        outcome: 'failure',
        error: 'ConnectFailure',
        attempts: 1,
        history: [],
        message: expect.stringMatching(NO_TLS.message),
      });
    expect(upstream.requests).toEqual([]);
  });

  it('opens if its certificate is trusted', async () => {
    await using upstream = await startUpstream({}, stranger);
    await using own = await startExecutor({ upstreamCa: stranger.cert });
    await own.success({ method: 'GET', url: upstream.origin });
  });
});
