import { reply, shared, startUpstream } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Credentials, CUSTOM_HEADER, credentials } from './support/credentials.ts';
import { type Answer, FAULTS, PLACES } from './support/echo-places.ts';
import { ENCODING_NAMES, encode } from './support/encodings.ts';
import { startExecutor } from './support/executor.ts';
import { leaksOf } from './support/leaks.ts';
import { type ServiceProcess, startProcess } from './support/process.ts';

const RUNS = { numRuns: 100 };
const CUT_AT_BYTES = 500;

const service = shared(() =>
  startProcess({
    LOG_LEVEL: 'trace',
    HTTP_EXECUTOR_REDACTED_HEADERS: CUSTOM_HEADER,
    HTTP_EXECUTOR_ALLOWED_HOSTS: 'localhost,127.0.0.1,localtest.invalid',
  }),
);

/** An upstream that answers as the current case says. */
const upstream = shared(async () => {
  let answer: Answer = {};
  const server = await startUpstream((_request, response) => {
    if (answer.statusText !== undefined) response.statusMessage = answer.statusText;
    reply(response, answer);
  });
  return {
    origin: server.origin,
    answerWith: (next: Answer) => {
      answer = next;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});

const echoes = fc
  .tuple(
    credentials,
    fc.nat(),
    fc.constantFrom(...ENCODING_NAMES),
    fc.constantFrom(...Object.keys(PLACES)),
  )
  .map(([held, which, encoding, place]) => ({
    held,
    encoding,
    place,
    echo: encode(encoding, held.secrets[which % held.secrets.length] ?? ''),
  }));

/**
 * Everything that a caller receives: status line, headers and body, and the strings in
 * that as a parser has them.
 */
async function received(own: ServiceProcess, action: object): Promise<string> {
  const response = await own.execute(action);
  const { status, statusText, headers } = response;
  const body = await response.text();
  return [status, statusText, ...[...headers].flat(), body, ...stringsIn(JSON.parse(body))].join(
    '\n',
  );
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...stringsIn(member)]);
}

const holdsAny = ({ secrets }: Credentials, text: string) => leaksOf(secrets, text).length > 0;
const expectNone = ({ secrets }: Credentials, text: string) =>
  expect(leaksOf(secrets, text), text).toEqual([]);

const action = ({ headers }: Credentials) => ({ method: 'POST', url: upstream().origin, headers });

describe('no secret leaves', () => {
  it('whatever an upstream echoes, in whatever spelling and place', async () => {
    const property = fc.asyncProperty(echoes, async ({ held, echo, place }) => {
      upstream().answerWith(PLACES[place]?.(echo) ?? {});
      const logged = service().output.length;
      expectNone(held, await received(service(), action(held)));
      expectNone(held, service().output.slice(logged));
    });
    await fc.assert(property, RUNS);
  }, 120_000);
});

/** Places whose own escapes cannot stack up with those of an encoding. */
const COUNTED = ['a value', 'a key', 'a header', 'a repeated header'];

describe('redaction', () => {
  it('changes nothing the second time', async () => {
    const property = fc.asyncProperty(echoes, async ({ held, echo, place }) => {
      upstream().answerWith(PLACES[place]?.(echo) ?? {});
      const first = await service().outcome(action(held));
      const shown = {
        headers: first.headers,
        body: first.body,
        message: 'message' in first ? first.message : null,
      };
      upstream().answerWith({ body: shown });
      const second = await service().success(action(held));
      expect(second.body).toEqual(JSON.parse(JSON.stringify(shown)));
      expect(second).not.toHaveProperty('redactions');
    });
    await fc.assert(property, RUNS);
  }, 120_000);

  it('leaves a body without echo as it is, and counts nothing', async () => {
    const property = fc.asyncProperty(
      credentials,
      fc.jsonValue({ maxDepth: 4 }),
      async (held, value) => {
        fc.pre(!holdsAny(held, [JSON.stringify(value), ...stringsIn(value)].join('\n')));
        upstream().answerWith({ body: JSON.stringify(value) });
        const outcome = await service().success(action(held));
        expect(JSON.stringify(outcome.body)).toBe(JSON.stringify(value));
        expect(outcome).not.toHaveProperty('redactions');
      },
    );
    await fc.assert(property, RUNS);
  }, 120_000);

  it('is counted once for each echo', async () => {
    const counted = echoes.filter(({ place }) => COUNTED.includes(place));
    const property = fc.asyncProperty(
      counted,
      fc.integer({ min: 1, max: 4 }),
      async ({ held, echo, place }, times) => {
        const { body = {}, headers = {} } = PLACES[place]?.(echo) ?? {};
        upstream().answerWith({
          headers,
          body: { list: Array.from({ length: times }, () => body) },
        });
        const { redactions } = await service().success(action(held));
        expect(redactions).toBe('x-echo' in headers ? 1 : times);
      },
    );
    await fc.assert(property, RUNS);
  }, 120_000);
});

describe('half a secret does not leave', () => {
  const cutting = shared(() =>
    startExecutor({
      env: {
        HTTP_EXECUTOR_REDACTED_HEADERS: CUSTOM_HEADER,
        HTTP_EXECUTOR_MAX_RESPONSE_BYTES: String(CUT_AT_BYTES),
      },
    }),
  );

  it('where a text is cut at the limit', async () => {
    // Half of an escape within an escape is no spelling that anybody undoes.
    const whole = echoes.filter(({ encoding }) => !/around|twice|in JSON|all marks/.test(encoding));
    const property = fc.asyncProperty(whole, fc.nat(), async ({ held, echo }, nat) => {
      const part = echo.slice(0, 1 + (nat % (echo.length - 1)));
      const before = '.'.repeat(CUT_AT_BYTES - part.length);
      await using upstream = await startUpstream((_request, response) => {
        response.writeHead(404).write(before + part);
        setTimeout(() => response.end(`${echo.slice(part.length)}!`), 20);
      });
      const { body } = await cutting().failure({ ...action(held), url: upstream.origin });
      // Nothing at all where both parts arrived as one.
      expect(body).toMatch(/^(?:\.{200,}(?:REDACTED)?)?$/);
    });
    await fc.assert(property, { numRuns: 60 });
  }, 120_000);

  it('where a number loses its last digits', async () => {
    const digits = fc.stringMatching(/^[1-9]\d{7,29}$/);
    const property = fc.asyncProperty(digits, async (key) => {
      upstream().answerWith({ body: `{"n":${key},"s":"${key}"}` });
      const outcome = await service().success(
        action({ headers: { 'x-api-key': key }, secrets: [key] }),
      );
      expect(outcome).toMatchObject({ body: { n: 'REDACTED', s: 'REDACTED' }, redactions: 2 });
    });
    await fc.assert(property, { numRuns: 50 });
  }, 60_000);
});

describe('where schema and refusal speak of a secret', () => {
  it('the violations of a response do not show it', async () => {
    const property = fc.asyncProperty(echoes, async ({ held, echo }) => {
      upstream().answerWith({ body: { a: { [echo]: 'text' } } });
      const response_schema = { properties: { a: { additionalProperties: { type: 'integer' } } } };
      const text = await received(service(), { ...action(held), response_schema });
      expect(text).toContain('SchemaValidationFailed');
      expectNone(held, text);
    });
    await fc.assert(property, RUNS);
  }, 120_000);

  it('a problem does not show it', async () => {
    const property = fc.asyncProperty(
      credentials,
      fc.constantFrom(...Object.keys(FAULTS)),
      async (held, fault) => {
        const logged = service().output.length;
        const text = await received(service(), {
          ...action(held),
          ...FAULTS[fault]?.(held.secrets[0], held.headers, service().url),
        });
        expect(text).toContain('/problems/');
        expectNone(held, text);
        expectNone(held, service().output.slice(logged));
      },
    );
    await fc.assert(property, RUNS);
  }, 120_000);
});
