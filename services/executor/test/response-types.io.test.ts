import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { readProblem, startExecutor } from './support/executor.ts';
import { startSite } from './support/site.ts';

const executor = shared(startExecutor);
const site = shared(startSite);

const TYPES = ['json', 'text', 'base64', 'auto'];
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==';
const LATIN1 = 'text/plain; charset=iso-8859-1';
const BEARER = { authorization: 'Bearer Secret-Of-Many-Letters' };

interface Page {
  readonly type?: string;
  readonly body: string | Uint8Array;
  readonly status?: number;
}
const serve = ({ type, body, status = 200 }: Page) =>
  site().serve({ status, body, headers: type === undefined ? {} : { 'content-type': type } });

/** `body_type` and `body` of an outcome, or its error. */
async function shown(page: Page, response_type: string | null, more = {}) {
  const url = serve(page);
  const outcome = await executor().outcome({ method: 'POST', url, response_type, ...more });
  if (outcome.outcome === 'failure' && page.status === undefined) return outcome.error;
  return [outcome.body_type, outcome.body];
}

describe('contract, "response_type"', () => {
  it.each<[name: string, page: Page, json: unknown, text: unknown, base64: unknown, auto: unknown]>(
    [
      [
        'JSON',
        { type: 'application/json', body: '{"n":1}' },
        ['json', { n: 1 }],
        ['text', '{"n":1}'],
        ['base64', btoa('{"n":1}')],
        ['json', { n: 1 }],
      ],
      [
        'JSON as text',
        { type: 'text/plain', body: '[1]' },
        ['json', [1]],
        ['text', '[1]'],
        ['base64', btoa('[1]')],
        ['json', [1]],
      ],
      [
        'text',
        { type: 'text/html', body: '<p>ok' },
        'ResponseNotJson',
        ['text', '<p>ok'],
        ['base64', btoa('<p>ok')],
        ['text', '<p>ok'],
      ],
      [
        'text in latin1',
        { type: LATIN1, body: Buffer.from('é', 'latin1') },
        'ResponseNotJson',
        ['text', 'é'],
        ['base64', btoa('é')],
        ['text', 'é'],
      ],
      [
        'a picture',
        { type: 'image/png', body: Buffer.from(PIXEL, 'base64') },
        'ResponseNotJson',
        'RequestFailed',
        ['base64', PIXEL],
        ['base64', PIXEL],
      ],
      ['nothing', { body: '' }, ['json', null], ['json', null], ['json', null], ['json', null]],
      [
        'an error page',
        { status: 404, body: 'gone '.repeat(1_000) },
        ['text', expect.stringMatching(/^(gone ){399}gon.…$/)],
        ['text', 'gone '.repeat(1_000)],
        ['base64', btoa('gone '.repeat(1_000))],
        ['text', 'gone '.repeat(1_000)],
      ],
    ],
  )('%s', async (_name, page, ...expected) => {
    for (const [index, type] of TYPES.entries())
      expect(await shown(page, type), type).toEqual(expected[index]);
    // Without one, JSON is asked for, and nothing is added.
    const [first] = expected;
    const untyped = Array.isArray(first) ? [undefined, first[1]] : first;
    expect(await shown(page, null)).toEqual(untyped);
  });

  it('is null to HEAD, and after a 204', async () => {
    const url = serve({ body: 'x' });
    for (const response_type of TYPES) {
      const head = await executor().success({ method: 'HEAD', url, response_type });
      expect(head).toMatchObject({ body: null, body_type: 'json' });
    }
    expect(await shown({ status: 204, body: '' }, 'text')).toEqual(['json', null]);
  });

  it('is in the last error of several, too', async () => {
    const url = serve({ status: 503, body: 'later' });
    const outcome = await executor().failure({ method: 'GET', url, response_type: 'text' });
    expect(outcome).not.toHaveProperty('body_type');
    expect(outcome.last_error).toMatchObject({ body: 'later', body_type: 'text' });
  });

  it('what is asked for is said to the upstream', async () => {
    const url = serve({ body: 'x' });
    await executor().success({ method: 'GET', url, response_type: 'text' });
    expect(site().received(url)[0]?.headers.accept).toBe('*/*');
  });

  it.each([64 * 1024, 300_000])('a body of %i bytes and one more', async (size) => {
    for (const bytes of [size, size + 1]) {
      const page = { body: 'é'.repeat(bytes).slice(0, bytes) };
      expect(await shown(page, 'text')).toEqual(['text', page.body]);
      const binary = Buffer.alloc(bytes, 0xff);
      expect(await shown({ body: binary }, 'auto')).toEqual(['base64', binary.toString('base64')]);
    }
  });

  it('a schema judges the body as it is shown', async () => {
    const page = { type: LATIN1, body: Buffer.from('é', 'latin1') };
    const judged = (response_type: string, response_schema: object) =>
      shown(page, response_type, { response_schema });
    expect(await judged('text', { const: 'é' })).toEqual(['text', 'é']);
    expect(await judged('text', { type: 'object' })).toBe('SchemaValidationFailed');
    expect(await judged('auto', { type: 'object' })).toBe('SchemaValidationFailed');
    expect(await judged('base64', { const: '6Q==' })).toEqual(['base64', '6Q==']);
  });

  it('credentials are scrubbed before base64 is made, and in any charset', async () => {
    const token = 'Secret-Of-Many-Letters';
    const more = { headers: BEARER };
    const binary = Buffer.concat([Buffer.from([0xff]), Buffer.from(token)]);
    const clean = Buffer.from('\xffREDACTED', 'latin1').toString('base64');
    expect(await shown({ body: binary }, 'base64', more)).toEqual(['base64', clean]);
    const wide = Buffer.from(`é ${token}`, 'utf16le');
    for (const type of ['text', 'auto'])
      expect(await shown({ type: 'text/csv; charset=utf-16', body: wide }, type, more)).toEqual([
        'text',
        'é REDACTED',
      ]);
    // Larger than what is examined at once.
    const large = Buffer.concat([Buffer.alloc(100_000, 0xff), binary]);
    const [, base64] = await shown({ body: large }, 'auto', more);
    expect(Buffer.from(String(base64), 'base64').subarray(-9).toString('latin1')).toBe(
      '\xffREDACTED',
    );
    expect(
      await executor().outcome({
        method: 'GET',
        url: serve({ body: large }),
        response_type: 'auto',
        ...more,
      }),
    ).toMatchObject({ redactions: 1 });
  });
});

describe('a type or a body that cannot be', () => {
  it.each([
    ['an unknown type', { response_type: 'xml' }, '/response_type', 'json, text, base64, auto'],
    ['a type in capitals', { response_type: 'TEXT' }, '/response_type', 'json, text'],
    ['a type that is no string', { response_type: 1 }, '/response_type', 'a string'],
    [
      'an object in parts',
      { body: {}, headers: { 'content-type': 'multipart/form-data' } },
      '/body',
      'its parts written out',
    ],
    [
      'a charset that lies',
      { body: 'é', headers: { 'content-type': LATIN1 } },
      '/body',
      'reads otherwise',
    ],
  ])('%s is refused, in a dry run too', async (_name, more, pointer, message) => {
    const url = serve({ body: '{}' });
    const action = { method: 'POST', url, ...more };
    for (const answer of [await executor().execute(action), await executor().dryRun(action)]) {
      const { status, code, errors } = await readProblem(answer);
      expect({ status, code }).toEqual({ status: 400, code: 'InvalidAction' });
      expect(errors?.[0]).toEqual({ pointer, message: expect.stringContaining(message) });
    }
    expect(site().received(url)).toHaveLength(0);
  });

  it('a GET sends its body', async () => {
    const url = serve({ body: '{}' });
    await executor().success({
      method: 'GET',
      url,
      body: 'a=1',
      headers: { 'content-type': 'text/plain' },
    });
    expect(site().received(url)[0]).toMatchObject({ method: 'GET', body: 'a=1' });
  });
});
