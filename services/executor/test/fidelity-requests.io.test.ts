import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { fakeClock } from './support/clock.ts';
import {
  arrays,
  type JsonDocument,
  MAX_DEPTH,
  NUMBERS,
  objects,
  PROTOTYPES,
  REPEATED,
} from './support/documents.ts';
import { startExecutor } from './support/executor.ts';
import {
  ALL_REQUESTS,
  byteStray,
  CREDENTIALS,
  SCHEMAS,
  strays,
  tokenStray,
} from './support/fidelity.ts';
import { bare, bytesOf } from './support/json-text.ts';
import { startSite } from './support/site.ts';
import { REQUEST_SERIES } from './support/sized-documents.ts';
import { type ActionText, actionText, executeText, outcomeText } from './support/wire.ts';

// Contract sections 1 and 3: the action's `body` reaches the upstream with its digits,
// nothing added, nothing lost.

const executor = shared(() => startExecutor({ clock: fakeClock() }));
const site = shared(startSite);

/** The bytes that the upstream received, as text of one character each. */
const sent = async (action: Omit<ActionText, 'url'>): Promise<string> => {
  const url = site().serve({ body: { ok: true } });
  await outcomeText(executor(), { ...action, url });
  return bytesOf(site().received(url)[0]?.body ?? 'nothing arrived');
};

const LANES = Object.entries(CREDENTIALS).flatMap(([credential, headers]) =>
  Object.entries(SCHEMAS).map(([schemaName, schema]) => ({
    credential,
    headers,
    schemaName,
    schema,
  })),
);

describe('a body reaches the upstream as the caller wrote it', () => {
  it.each(LANES)(
    'token by token, with $credential and $schemaName',
    async ({ headers, schema }) => {
      const arrived = async (document: JsonDocument) =>
        tokenStray(document, await sent({ headers, schema, body: document.text }));
      // Long ones once for each credential.
      const documents = schema === undefined ? [...ALL_REQUESTS, ...REQUEST_SERIES] : ALL_REQUESTS;
      expect(await strays(documents, arrived)).toEqual([]);
    },
  );

  it('byte by byte', async () => {
    const arrived = async (document: JsonDocument) =>
      byteStray(document, await sent({ body: document.text }));
    expect(await strays([...ALL_REQUESTS, ...REQUEST_SERIES], arrived)).toEqual([]);
  });

  it.each(['PUT', 'PATCH', 'DELETE'])('of %s', async (method) => {
    const arrived = async (document: JsonDocument) =>
      tokenStray(document, await sent({ method, body: document.text }));
    expect(await strays(NUMBERS, arrived)).toEqual([]);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/vnd.api+json',
    'application/merge-patch+json',
    'application/json-patch+json; charset=UTF-8',
  ])('under %s, which stays as it is', async (type) => {
    const arrived = async (document: JsonDocument) => {
      const url = site().serve({});
      await outcomeText(executor(), {
        url,
        headers: { 'Content-Type': type },
        body: document.text,
      });
      const [request] = site().received(url);
      expect(request?.headers['content-type']).toBe(type);
      return tokenStray(document, bytesOf(request?.body ?? ''));
    };
    expect(await strays(ALL_REQUESTS, arrived)).toEqual([]);
  });

  it('on each attempt', async () => {
    const arrived = async (document: JsonDocument) => {
      const url = site().serve({ status: 503 }, { status: 503 }, {});
      await outcomeText(executor(), { url, method: 'PUT', body: document.text });
      const bodies = site().received(url);
      expect(bodies).toHaveLength(3);
      return bodies
        .map(({ body }) => tokenStray(document, bytesOf(body)))
        .find((stray) => stray !== undefined);
    };
    expect(await strays(NUMBERS, arrived)).toEqual([]);
  });

  it('along a redirect that keeps it', async () => {
    const arrived = async (document: JsonDocument) => {
      const target = site().serve({});
      const url = site().serve({ status: 307, headers: { location: target } });
      await outcomeText(executor(), { url, body: document.text });
      return tokenStray(document, bytesOf(site().received(target)[0]?.body ?? '""'));
    };
    expect(await strays(NUMBERS, arrived)).toEqual([]);
  });

  it('with the length that it has, and as JSON', async () => {
    const arrived = async (document: JsonDocument) => {
      const url = site().serve({});
      await outcomeText(executor(), { url, body: document.text });
      const [request] = site().received(url);
      const {
        'content-length': length,
        'transfer-encoding': coding,
        'content-type': type,
      } = request?.headers ?? {};
      expect({ coding, type }).toEqual({ coding: undefined, type: 'application/json' });
      return Number(length) === Buffer.byteLength(request?.body ?? '')
        ? undefined
        : `a length of ${length}`;
    };
    expect(await strays(ALL_REQUESTS, arrived)).toEqual([]);
  });
});

/** Where a body may stand in the text of an action. */
const ACTIONS: Readonly<Record<string, (url: string, body: string) => string>> = {
  'first of all members': (url, body) => `{"body":${body},"method":"POST","url":"${url}"}`,
  'with blanks everywhere': (url, body) =>
    `\r\n{ "method" : "POST" ,\t"body" \n:\t ${body} \r\n, "url" : "${url}" }\n`,
  'with its name escaped': (url, body) =>
    String.raw`{"method":"POST","url":"${url}","b\u006fdy":${body}}`,
  'behind a header named body': (url, body) =>
    `{"method":"POST","headers":{"body":"\\"body\\":0","x-a":"{"},"url":"${url}","body":${body}}`,
  'behind a schema that speaks of a body': (url, body) =>
    `{"method":"POST","response_schema":{"properties":{"body":{"const":{"body":1.5}}}},"url":"${url}","body":${body}}`,
  'beside sections that are null': (url, body) =>
    `{"headers":null,"method":"post","body":${body},"response_schema":null,"url":"${url}"}`,
};

describe('a body is found', () => {
  it.each(Object.entries(ACTIONS))('%s', async (_name, write) => {
    const arrived = async (document: JsonDocument) => {
      const url = site().serve({});
      const answer = await executeText(executor(), write(url, document.text));
      if (answer.status !== 200) return answer.text.slice(0, 200);
      return tokenStray(document, bytesOf(site().received(url)[0]?.body ?? '"nothing"'));
    };
    expect(await strays(ALL_REQUESTS, arrived)).toEqual([]);
  });

  it('nowhere, where it is null or absent', async () => {
    expect(await sent({ method: 'POST', body: 'null' })).toBe('');
    expect(await sent({ method: 'POST' })).toBe('');
  });
});

describe('a body that cannot be sent as it is written is refused', () => {
  const refused = async (body: string) => {
    const url = site().serve({});
    const { status } = await executeText(executor(), actionText({ url, body }));
    return { status, sent: site().received(url).length };
  };

  it('with a member given twice, or one that reaches for a prototype', async () => {
    const arrived = async ({ text }: JsonDocument) => {
      const { status, sent } = await refused(text);
      return status === 400 && sent === 0 ? undefined : `${status}, sent ${sent}`;
    };
    expect(await strays([...REPEATED, ...PROTOTYPES], arrived)).toEqual([]);
  });

  it.each([
    ['lists', arrays],
    ['objects', objects],
  ])(`of ${MAX_DEPTH + 1} %s, and taken of ${MAX_DEPTH}`, async (_name, nest) => {
    expect(await refused(nest(MAX_DEPTH + 1))).toEqual({ status: 400, sent: 0 });
    expect(await refused(nest(MAX_DEPTH))).toEqual({ status: 200, sent: 1 });
    expect(bare(await sent({ body: nest(MAX_DEPTH) }))).toBe(nest(MAX_DEPTH));
  });
});
