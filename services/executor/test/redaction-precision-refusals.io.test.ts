import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';
import { leaksOf } from './support/leaks.ts';
import { startSite } from './support/site.ts';

// Contract section 3, "Redaction: echoes": wherever; that is in problems and in
// violations, too.

const executor = shared(startExecutor);
const site = shared(startSite);

const USER = 'octocat';
const basic = (password: string) => ({ authorization: `Basic ${btoa(`${USER}:${password}`)}` });

const SECRETS: [name: string, secret: string, headers: Record<string, string>][] = [
  [
    'a long token',
    'ghp-16C7e42F292c6912E7710c83',
    { authorization: 'token ghp-16C7e42F292c6912E7710c83' },
  ],
  ['a long password of marks', 's3cr3t/T0ken~Value==', basic('s3cr3t/T0ken~Value==')],
  ['a short password', 'Hunt3r-22', basic('Hunt3r-22')],
  ['a short key of marks', 'k/3~y-99', { 'x-api-key': 'k/3~y-99' }],
  ['a session cookie', 'Kx82-hqPz0', { cookie: 'tz=UTC; sid=Kx82-hqPz0' }],
  [
    'a signature',
    'bWq2s1WEIj+Ydj0vQ697zp+IXMU=',
    { authorization: 'AWS AKIAIOSFODNN7:bWq2s1WEIj+Ydj0vQ697zp+IXMU=' },
  ],
];

/** What makes an action a refusal that may name a text of the action. */
const FAULTS: Readonly<Record<string, (text: string, headers: Record<string, string>) => object>> =
  {
    'an unknown member': (text) => ({ [text]: 1 }),
    'an unknown member beside others': (text) => ({ aaa: 1, [text]: { [text]: text }, zzz: 2 }),
    'a method': (text) => ({ method: text }),
    'a relative URL': (text) => ({ url: text }),
    'a path off the allowlist': (text) => ({
      url: `http://elsewhere.test/${encodeURIComponent(text)}`,
    }),
    userinfo: (text) => ({ url: `http://me:${encodeURIComponent(text)}@127.0.0.1/` }),
    'a host': (text) => ({ url: `http://${text.replace(/[^\w-]/g, '-')}.test/` }),
    'a header that is no string': (text, headers) => ({
      headers: { ...headers, [`x-${text}`]: 1 },
    }),
    'a header whose name is no token': (text, headers) => ({
      headers: { ...headers, [`x ${text}`]: '1' },
    }),
    'a header with a control character': (text, headers) => ({
      headers: { ...headers, 'x-a': `${text}\u0001` },
    }),
    'a header twice': (text, headers) => ({ headers: { ...headers, 'x-a': text, 'X-A': text } }),
    'a member of a schema': (text) => ({
      response_schema: { properties: { [text]: { type: 1 } } },
    }),
    'a keyword of a schema': (text) => ({ response_schema: { [text]: 1, type: 1 } }),
    'a type of a schema': (text) => ({ response_schema: { type: text } }),
    'a pattern of a schema': (text) => ({ response_schema: { pattern: `(${text}(` } }),
    'a reference of a schema': (text) => ({ response_schema: { $ref: `#/$defs/${text}` } }),
    'a remote reference of a schema': (text) => ({
      response_schema: { $ref: `http://elsewhere.test/${text}` },
    }),
    'an address of a schema': (text) => ({
      response_schema: { $schema: `http://elsewhere.test/${text}` },
    }),
    'a required member of a schema': (text) => ({ response_schema: { required: text } }),
  };

/** Rules whose message may quote the schema, or a name of the answer. */
const RULES: Readonly<Record<string, (text: string) => { body: object; schema: object }>> = {
  additionalProperties: (text) => ({
    body: { [text]: 1 },
    schema: { properties: { b: {} }, additionalProperties: false },
  }),
  propertyNames: (text) => ({ body: { [text]: 1 }, schema: { propertyNames: { maxLength: 2 } } }),
  required: (text) => ({ body: {}, schema: { required: [text] } }),
  dependentRequired: (text) => ({ body: { b: 1 }, schema: { dependentRequired: { b: [text] } } }),
  const: (text) => ({ body: { b: text }, schema: { const: text } }),
  enum: (text) => ({ body: { b: text }, schema: { enum: [text, 1] } }),
  pattern: (text) => ({
    body: { b: 'x' },
    schema: { additionalProperties: { pattern: `^${text.replace(/[+]/g, '[+]')}$` } },
  }),
};

const OFF_THE_LIST = ['a path off the allowlist', 'a host'];

async function refusal(text: string, headers: Record<string, string>, fault: string) {
  const action = { method: 'GET', url: site().origin, headers, ...FAULTS[fault]?.(text, headers) };
  const response = await executor().execute(action);
  const { request_id: _id, ...problem } = (await response.json()) as Record<string, unknown>;
  return { status: response.status, problem, text: JSON.stringify(problem) };
}

/** With the escapes of JSON Pointers undone, too. */
const undone = (text: string) => `${text}\n${text.replaceAll('~1', '/').replaceAll('~0', '~')}`;

describe.each(SECRETS)('%s', (_name, secret, headers) => {
  it('is not shown by a refusal', async () => {
    const shown: string[] = [];
    for (const fault of Object.keys(FAULTS)) {
      const { status, text } = await refusal(secret, headers, fault);
      expect(status, text).toBe(OFF_THE_LIST.includes(fault) ? 403 : 400);
      shown.push(...leaksOf([secret], undone(text)).map((leak) => `${fault} shows ${leak}`));
    }
    expect(shown).toEqual([]);
  });

  it.each(['an unknown member', 'a member of a schema'])(
    'shows as REDACTED in the pointer of %s',
    async (fault) => {
      const { problem } = await refusal(secret, headers, fault);
      expect(problem).toEqual((await refusal('REDACTED', headers, fault)).problem);
    },
  );

  it('changes nothing in the refusal of what is no secret', async () => {
    const changed: string[] = [];
    for (const fault of Object.keys(FAULTS)) {
      for (const plain of [USER, 'name', `x${secret.slice(0, 5)}`]) {
        const { text } = await refusal(plain, headers, fault);
        if (text !== (await refusal(plain, {}, fault)).text) changed.push(`${fault}: ${text}`);
      }
    }
    expect(changed).toEqual([]);
  });

  const violationsOf = async (a: object, schema: object) => {
    const url = site().serve({ body: JSON.stringify({ a }) });
    return executor().failure({
      method: 'GET',
      url,
      headers,
      response_schema: { properties: { a: schema } },
    });
  };

  it('shows as REDACTED in the path of a violation, and nothing else does', async () => {
    const schema = { additionalProperties: { type: 'integer' } };
    const failure = await violationsOf({ [secret]: 'text', [USER]: 'text' }, schema);
    expect(failure).toMatchObject({
      error: 'SchemaValidationFailed',
      body: { a: { REDACTED: 'text', [USER]: 'text' } },
      violations: [{ path: '/a/REDACTED' }, { path: `/a/${USER}` }],
    });
    expect(leaksOf([secret], undone(JSON.stringify(failure)))).toEqual([]);
    expect(failure.message).toContain(USER);
  });

  it('is not shown by the message of a violation', async () => {
    const shown: string[] = [];
    for (const [keyword, rule] of Object.entries(RULES)) {
      const { body, schema } = rule(secret);
      const failure = await violationsOf(body, schema);
      expect(failure.error, keyword).toBe('SchemaValidationFailed');
      shown.push(
        ...leaksOf([secret], undone(JSON.stringify(failure))).map(
          (leak) => `${keyword} shows ${leak}`,
        ),
      );
    }
    expect(shown).toEqual([]);
  });
});
