import type { Destination, Method } from '@gatehouse/contracts';
import { type Received, reply, startUpstream } from '@gatehouse/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startWithDestinations } from '../support/destinations.ts';

// This test has its own matcher, written from the contract, to decide which requests may be sent
// and with which credential.

interface Asked {
  readonly method: Method;
  readonly host: string;
  readonly path: string;
  readonly caller: string | undefined;
}

interface Action extends Asked {
  readonly moved?: { readonly host: string; readonly path: string } | undefined;
}

const READ_DIFFERENTLY =
  /%(?:2f|5c|2e|25|3b|3f|23|7f|[01][\da-f])|%(?![\da-f]{2})|%ff|[\\;]|\/\/|\/\.{1,2}(?:\/|$)/i;

function allowsPath(pattern: string, path: string): boolean {
  const decoded = path.replace(/%[2-7][\da-f]/gi, (text) => {
    const character = decodeURIComponent(text);
    return /[\w.~-]/.test(character) ? character : text;
  });
  const source = pattern
    .split('/')
    .map((part) => (part === '**' ? '.+' : part.replaceAll('.', '\\.').replaceAll('*', '[^/]+')))
    .join('/');
  return !READ_DIFFERENTLY.test(path) && new RegExp(`^${source}$`).test(decoded);
}

const allows =
  ({ method, host, path, caller }: Asked) =>
  (entry: Destination): boolean =>
    entry.host.replace(/:.*/, '') === host &&
    (entry.methods?.includes(method) ?? true) &&
    (entry.paths?.some((each) => allowsPath(each, path)) ?? true) &&
    (entry.callers?.some((each) => each === caller) ?? true);

const part = fc.constantFrom('a', 'b', 'ab', 'a.b', 'admin');
const glob = fc.oneof(part, fc.constantFrom('*', 'a*', '*b'));
const odd = fc.constantFrom(
  '..',
  '.',
  '',
  '%2e%2e',
  '%61',
  'a%2fb',
  'a;b',
  'A',
  '%',
  '%C3%A9',
  'a%3f',
  '%23',
  '%ff',
);
const toPath = (parts: readonly string[]) => `/${parts.join('/')}`;
const pattern = fc
  .tuple(fc.array(glob, { minLength: 1, maxLength: 2 }), fc.constantFrom([], ['**']))
  .map(([parts, rest]) => toPath([...parts, ...rest]));
const path = fc
  .array(fc.oneof({ weight: 5, arbitrary: part }, odd), { minLength: 1, maxLength: 3 })
  .map(toPath);
const method = fc.constantFrom<Method>('GET', 'POST', 'DELETE');
const host = fc.constantFrom('localhost', '127.0.0.1');
const caller = fc.constantFrom('one', 'two');
const SECRETS = { x: 'secret-x-01234567', y: 'secret-y-01234567', z: 'secret-z-01234567' };
const CREDENTIALS = {
  x: { type: 'bearer', token_file: 'x' },
  y: { type: 'basic', username: 'me', password_file: 'y' },
  z: { type: 'header', name: 'x-key', value_file: 'z' },
};
/** The credential headers of a request, by the name of their credential. */
const HEADERS: Readonly<Record<string, object>> = {
  none: {},
  x: { authorization: `Bearer ${SECRETS.x}` },
  y: { authorization: `Basic ${Buffer.from(`me:${SECRETS.y}`).toString('base64')}` },
  z: { 'x-key': SECRETS.z },
};
const credentialsIn = ({ authorization, 'x-key': key }: Received['headers']) => ({
  ...(authorization !== undefined && { authorization }),
  ...(key !== undefined && { 'x-key': key }),
});

const limits = {
  methods: fc.uniqueArray(method, { minLength: 1 }),
  paths: fc.uniqueArray(pattern, { minLength: 1, maxLength: 3 }),
  callers: fc.uniqueArray(caller, { minLength: 1 }),
};
const credential = fc.constantFrom('x', 'y', 'z');
const entry = fc.record({ host, ...limits, credential }, { requiredKeys: ['host'] });
const place = fc.record({ host, path });
const asked = fc.record({
  method,
  host,
  path,
  caller: fc.option(caller, { nil: undefined }),
  /** Place to which the upstream redirects the request. */
  moved: fc.option(place, { nil: undefined }),
});

it('agrees with a simple matcher on what is sent, and with which credential', async () => {
  let location: string | undefined;
  await using upstream = await startUpstream((_request, response) => {
    // Redirect with 307, so that the executor keeps the method.
    reply(response, location === undefined ? {} : { status: 307, headers: { location } });
    location = undefined;
  });
  const withPort = (name: string) => `${name}:${upstream.port}`;
  const urlOf = (at: { host: string; path: string }) => `http://${withPort(at.host)}${at.path}`;
  const files = { 'destinations.yaml': 'destinations: []', ...SECRETS };
  await using executor = startWithDestinations(files);
  const load = (destinations: readonly Destination[]): boolean => {
    const file = { destinations, credentials: CREDENTIALS };
    executor.write('destinations.yaml', JSON.stringify(file));
    try {
      executor.reload();
      return true;
    } catch (error) {
      expect(String(error)).toContain('can never match');
      return false;
    }
  };
  const counts = { refused: 0, moved: 0, kept: 0, stopped: 0 };
  const asTheMatcherSays = async (entries: Destination[], actions: Action[]) => {
    let list: Destination[] = [];
    for (const each of entries.map((one) => ({ ...one, host: withPort(one.host) })))
      if (load([...list, each])) list = [...list, each];
    load(list);
    for (const { moved, ...action } of actions) {
      const url = urlOf(action);
      const before = upstream.requests.length;
      // Some `entries` can never match, but they are harmless, because `find` skips them.
      const first = entries.find(allows(action));
      const next = moved && entries.find(allows({ ...action, ...moved }));
      location = moved && urlOf(moved);
      const call = executor.outcome({ method: action.method, url }, { caller: action.caller });
      const expected: string[] = [];
      if (first === undefined) {
        await expect(call).rejects.toMatchObject({ code: 'DestinationNotAllowed' });
        counts.refused += 1;
      } else {
        const isLoop = moved !== undefined && new URL(url).href === new URL(urlOf(moved)).href;
        const isFollowed = next !== undefined && !isLoop;
        const isKept = first === next && action.host === moved?.host;
        expected.push(first.credential ?? 'none');
        if (isFollowed) expected.push((isKept && first.credential) || 'none');
        const arrives = moved === undefined || isFollowed;
        expect(await call).toMatchObject({ outcome: arrives ? 'success' : 'failure' });
        counts[isFollowed ? (isKept ? 'kept' : 'moved') : 'stopped'] += 1;
      }
      location = undefined;
      const sent = upstream.requests.slice(before).map(({ headers }) => credentialsIn(headers));
      expect(sent).toEqual(expected.map((name) => HEADERS[name]));
    }
  };
  const property = fc.asyncProperty(
    fc.array(entry, { maxLength: 5 }),
    fc.array(asked, { minLength: 5, maxLength: 10 }),
    asTheMatcherSays,
  );
  await fc.assert(property, { numRuns: 150 });
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(20);
});
