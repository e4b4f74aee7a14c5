import type { ExecutionOutcome, Method } from '@gatehouse/contracts';
import { beforeAll, describe, type ExpectStatic, expect, it } from 'vitest';
import { ATTEMPT_TIMEOUT_MS, type Expected, type Fault, SECRET } from './fault.ts';
import { type Lane, type Lanes, openLanes } from './fault-lanes.ts';
import { type FaultSite, startFaultSite } from './fault-site.ts';
import { type Leftovers, watchLeftovers } from './leftovers.ts';
import { record } from './outcomes.ts';
import { NOW } from './status-faults.ts';
import type { StuckListener } from './stuck-listener.ts';

const CASE_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const satisfies readonly Method[];
/** Contract section 3: the methods that may be sent again. */
const RETRIED: readonly Method[] = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];
const MODES = ['once', 'always'] as const;
const MAX_ATTEMPTS = 3;

interface Case {
  readonly fault: Fault;
  readonly method: (typeof CASE_METHODS)[number];
  readonly mode: (typeof MODES)[number];
}

/** What the rules of contract section 3 make of a case. */
interface Forecast {
  readonly expected: Expected;
  /** Attempts that meet the fault, and those after it that are answered well. */
  readonly faulty: number;
  readonly good: number;
}

/**
 * Transient: tried again if the method may be sent again, up to three times in all.
 * Anything else: tried once.
 */
function forecast({ fault, method, mode }: Case): Forecast {
  const expected = (method === 'HEAD' ? fault.head : undefined) ?? fault.expected;
  if (expected.fate !== 'transient' || !RETRIED.includes(method))
    return { expected, faulty: 1, good: 0 };
  return mode === 'always'
    ? { expected, faulty: MAX_ATTEMPTS, good: 0 }
    : { expected, faulty: 1, good: 1 };
}

interface MatrixOptions {
  readonly stuck?: StuckListener | undefined;
  /** Faults of the same title share a test. */
  readonly titleOf?: (fault: Fault) => string;
}

/**
 * Every fault with every method, once and always, at the real service; and then nothing
 * may be left of it.
 */
export function describeFaults(
  faults: readonly Fault[],
  { stuck, titleOf = ({ name }) => name }: MatrixOptions = {},
): void {
  const cases = CASE_METHODS.flatMap((method) => MODES.map((mode) => ({ method, mode })));
  const sites: FaultSite[] = [];
  let hosts = 0;
  let lanes: Lanes;
  let leftovers: Leftovers;
  beforeAll(async () => {
    leftovers = watchLeftovers();
    lanes = await openLanes();
  });

  describe('the fault', { concurrent: true }, () => {
    it.for([...Map.groupBy(faults, titleOf)])('%s', async ([, alike], { expect }) => {
      for (const each of alike.flatMap((fault) => cases.map((how) => ({ fault, ...how })))) {
        await tryCase(each, expect).catch((cause) => {
          const { fault, method, mode } = each;
          throw new Error(`${fault.name}, ${method}, ${mode}: ${cause.message}`, { cause });
        });
      }
    });
  });

  async function tryCase(each: Case, expect: ExpectStatic): Promise<void> {
    const { fault, mode } = each;
    const number = hosts++;
    const host = `c${number}.api.test`;
    const times = mode === 'once' ? 1 : Number.POSITIVE_INFINITY;
    const address = fault.leads === 'stuck' ? `127.0.1.${number % 256}` : '127.0.0.1';
    const { certificate, names } = lanes;
    const site = await startFaultSite(fault, { times, certificate, stuck, address });
    sites.push(site);
    names.set(host, site.resolve);
    const place = { site, host: `${host}:${site.port}` };
    await lanes.use((lane) => checkCase(each, { ...place, lane }, expect));
  }

  it('nothing is left of it', async () => {
    await lanes[Symbol.asyncDispose]();
    await expect.poll(() => sites.filter(({ open }) => open > 0)).toEqual([]);
    await Promise.all(sites.map((site) => site[Symbol.asyncDispose]()));
    expect(await leftovers.more()).toEqual({});
    expect(leftovers.unhandled).toEqual([]);
    leftovers[Symbol.dispose]();
  });
}

interface Place {
  readonly lane: Lane;
  readonly site: FaultSite;
  readonly host: string;
}

async function checkCase(each: Case, place: Place, expect: ExpectStatic): Promise<void> {
  const { lane, site, host } = place;
  const cast = forecast(each);
  lane.clock.restart(NOW);
  const times = cast.expected.fate === 'transient' && cast.expected.classification === 'timeout';
  // The clock has waited once per attempt that went before.
  lane.timePasses = () => times && site.met > lane.clock.waits.length;
  const outcome = await lane.executor.outcome(actionOf(each, host));
  checkOutcome(outcome, cast, expect);
  checkWords(outcome, host, cast.expected, expect);
  expect(lane.clock.waits, 'waits').toEqual(waitsOf(cast));
  checkServer(each, cast, place, expect);
  await expect.poll(() => site.open, { interval: 5 }).toBeLessThanOrEqual(mayStayOpen(each, cast));
}

/**
 * Connections that were answered well may wait for the next request: with a status each
 * attempt leaves one, with any other fault only the good attempt. POST, and a body where
 * none is usual, have connections of their own.
 */
function mayStayOpen({ method }: Case, { expected, faulty, good }: Forecast): number {
  if (method === 'POST' || method === 'DELETE') return 0;
  return (
    (expected.fate === 'transient' && expected.classification !== 'status' ? 0 : faulty) + good
  );
}

const BODY = { order: 7, note: 'grüße' };
const hasBody = (method: Method) => method !== 'GET' && method !== 'HEAD';

function actionOf({ fault, method }: Case, host: string) {
  return {
    method,
    url: `${fault.scheme ?? 'http'}://${host}/orders/7?key=query-secret`,
    headers: { Authorization: `Bearer ${SECRET}` },
    ...(hasBody(method) ? { body: BODY } : {}),
  };
}

function waitsOf({ expected, faulty, good }: Forecast): readonly number[] {
  return expected.fate === 'transient' ? expected.waits.slice(0, faulty + good - 1) : [];
}

function checkOutcome(outcome: ExecutionOutcome, cast: Forecast, expect: ExpectStatic): void {
  const { expected, faulty, good } = cast;
  const attempts = faulty + good;
  const waits = waitsOf(cast);
  expect(outcome).toMatchObject({ ...variantOf(cast), attempts });
  const failed =
    expected.fate === 'transient' ? Array.from({ length: faulty }, () => expected) : [];
  expect(outcome.history).toEqual(
    failed.map(({ classification, status }, index) =>
      record(index + 1, classification, waits[index] ?? 0, status),
    ),
  );
  if (expected.fate !== 'transient' || expected.classification !== 'timeout') return;
  for (const { duration_ms } of outcome.history)
    expect(duration_ms).toBeGreaterThanOrEqual(ATTEMPT_TIMEOUT_MS);
}

function variantOf({ expected, faulty, good }: Forecast): object {
  if (expected.fate === 'success') return { outcome: 'success', status: 200, body: expected.body };
  if (good > 0) return { outcome: 'success', status: 200 };
  const { error, status } = expected;
  const failed = {
    error,
    ...(status === undefined ? {} : { status, headers: expect.any(Object) }),
  };
  return faulty === MAX_ATTEMPTS
    ? { outcome: 'failure', error: 'RetriesExhausted', last_error: failed }
    : { outcome: 'failure', ...failed };
}

/**
 * A failure without a response names the host and what is known of it; no outcome gives a
 * secret away.
 */
function checkWords(
  outcome: ExecutionOutcome,
  host: string,
  expected: Expected,
  expect: ExpectStatic,
): void {
  const text = JSON.stringify(outcome);
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain('query-secret');
  if (outcome.outcome === 'success' || expected.fate === 'success') return;
  const { message, status } = outcome.last_error ?? outcome;
  expect(message).toMatch(expected.says ?? /./);
  expect(outcome.message).toContain(message);
  if (status === undefined) expect(message).toContain(`\`${host}\``);
}

/**
 * The attempts as the server saw them: how many, on how many connections, all the same
 * byte for byte.
 */
function checkServer(
  { fault, method }: Case,
  { faulty, good }: Forecast,
  { site, host }: Place,
  expect: ExpectStatic,
) {
  const answered = (fault.asked === undefined ? 0 : faulty) + good;
  const connected = (fault.leads === undefined ? faulty : 0) + good;
  if (fault.asked !== undefined || fault.leads !== undefined || fault.connected !== undefined)
    expect(site.met, 'times the fault was met').toBe(faulty);
  expect(site.arrivals, 'requests').toHaveLength(answered);
  expect(site.connections, 'connections').toBeLessThanOrEqual(connected);
  const used = new Set(site.arrivals.map(({ connection }) => connection));
  if (method === 'POST' || method === 'DELETE')
    expect(used.size, 'connections of their own').toBe(answered);
  const [first] = site.arrivals;
  if (first === undefined) return;
  expect(site.arrivals.filter(({ bytes }) => bytes !== first.bytes)).toEqual([]);
  const [head = '', body] = first.bytes.split('\r\n\r\n');
  const lines = head.toLowerCase().split('\r\n');
  expect(head.startsWith(`${method} /orders/7?key=query-secret HTTP/1.1\r\n`), head).toBe(true);
  expect(lines).toEqual(
    expect.arrayContaining([`host: ${host}`, `authorization: bearer ${SECRET.toLowerCase()}`]),
  );
  expect(Buffer.from(body ?? '', 'latin1').toString()).toBe(
    hasBody(method) ? JSON.stringify(BODY) : '',
  );
}
