import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { shared, startUpstream } from '@gatehouse/testing';
import type { ElicitResult } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import {
  COSTS,
  ERAS,
  HARMLESS,
  type Host,
  type HostOptions,
  httpHost,
  startMcp,
  stdioHost,
  textOf,
} from './support/host.ts';

const hanging = new EventEmitter();
const shop = shared(() =>
  startUpstream(({ url }, response) => {
    if (url.startsWith('/hangs')) return void hanging.emit('request', response);
    const status = url === '/missing' ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"id":7}');
  }),
);
const args = (): string[] => ['--allowed-hosts', `127.0.0.1:${shop().port}`];
const mcp = shared(() => startMcp({ args: args() }));

/** Transports over which a host reaches the server. */
const TRANSPORTS: readonly [name: string, connect: (options: HostOptions) => Promise<Host>][] = [
  ['stdio', (options) => stdioHost({ args: args() }, options)],
  ['Streamable HTTP', (options) => httpHost(mcp(), options)],
];
const WAYS = TRANSPORTS.flatMap(([name, connect]) =>
  ERAS.map((era) => [name, era, connect] as const),
);

const get = (path = '/products/7') => ({
  ...{ method: 'GET', url: `${shop().origin}${path}` },
  ...HARMLESS,
});
const pay = (cents: number) => ({
  ...{ method: 'POST', url: `${shop().origin}/orders`, body: { product: 7 } },
  ...COSTS(cents),
});

const APPROVES: ElicitResult = { action: 'accept', content: {} };

describe.each(WAYS)('over %s, in the %s era', (_transport, era, connect) => {
  let user: NonNullable<HostOptions['user']> = () => APPROVES;
  const host = shared(() => connect({ era, user: (message) => user(message) }));

  it('lists two tools with schemas of their arguments and results', async () => {
    const { tools } = await host().client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations])).toEqual([
      ['check_policy', { readOnlyHint: true, openWorldHint: false }],
      ['http_request', { readOnlyHint: false, destructiveHint: true, openWorldHint: true }],
    ]);
    for (const { inputSchema, outputSchema } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(JSON.stringify([inputSchema, outputSchema])).not.toMatch(/"x-|iso-4217/);
      expect(JSON.stringify(inputSchema)).not.toMatch(/null[,\]]/);
    }
    expect(tools[1]?.inputSchema).toMatchObject({ required: ['method', 'url'] });
  });

  it('checks an action and says what each rule would allow', async () => {
    const result = await host().call('check_policy', COSTS(90_000));
    expect(result.isError).toBe(false);
    expect(result.answer).toMatchObject({
      decision: 'deny',
      explanation: { rules: [{ remedy: { max_amount_minor_units: 10_000 } }, {}, {}] },
    });
    expect(textOf(result)).toMatch(
      /Decision: deny\..*EUR 900\.00.*limit would allow an action that costs at most EUR 100\.00/s,
    );
    expect(textOf(await host().call('check_policy', {}))).toContain('facts that are missing');
    const action = { method: 'GET', url: 'http://a.example/', headers: { connection: 'close' } };
    const malformed = await host().call('check_policy', { ...HARMLESS, action });
    expect(textOf(malformed)).toMatch(
      /^Correct the arguments .*\n- \/action\/headers\/connection /,
    );
    const { answer } = await host().call('check_policy', {
      ...{ ...HARMLESS, action: { ...action, headers: {} } },
    });
    expect(answer).toMatchObject({ decision: 'allow' });
  });

  it('sends an allowed action and returns its outcome once, as text', async () => {
    const result = await host().request(get());
    const outcome = { outcome: 'success', status: 200, body: { id: 7 }, attempts: 1 };
    const answer = { state: 'executed', outcome };
    expect(result).toMatchObject({ isError: false, answer });
    expect(result).not.toHaveProperty('structuredContent');
    expect(textOf(result).split('"body":{"id":7}')).toHaveLength(2);
    const failure = await host().request(get('/missing'));
    expect(failure.isError).toBe(true);
    expect(textOf(failure)).toMatch(/HttpFailure: The upstream answered with status 404\. Treat/);
    const unlike = await host().request({ ...get(), response_schema: { type: 'array' } });
    expect(textOf(unlike)).toMatch(/accepted .* does not match .* must be array\. Unless/);
  });

  it('asks for missing sections first, if nothing else needs approval', async () => {
    const { spend, legal } = HARMLESS;
    const url = `${shop().origin}/`;
    await using mute = await httpHost(mcp());
    const begins = (sections: object) => mute.request({ method: 'GET', url, ...sections });
    for (const [sections, advice] of [
      [
        {},
        'State the missing sections `spend`, `pii` and `legal` if you know them, and call again.',
      ],
      [{ spend }, 'State the missing sections `pii` and `legal` if you know them, and call again.'],
      [{ spend, legal }, 'State the missing section `pii` if you know it, and call again.'],
    ] as const) {
      const result = await begins(sections);
      expect(textOf(result).startsWith(`${advice} `)).toBe(true);
      expect(textOf(result).split('\n{')[0]?.split('and call again')).toHaveLength(2);
      expect(textOf(result)).not.toContain('facts that are missing');
      expect(String(result.answer.reason).startsWith(`${advice} `)).toBe(true);
    }
    const both = await begins({ ...COSTS(20_000), pii: null });
    expect(textOf(both)).toMatch(/^The action needs a person's approval.*facts that are missing/s);
    expect(String(both.answer.reason)).toMatch(/^spend_limit/);
  });

  it('does not send a denied action, and says what each rule would allow', async () => {
    const before = shop().requests.length;
    const result = await host().request(pay(90_000));
    expect(result).toMatchObject({ isError: true, answer: { state: 'denied' } });
    expect(textOf(result)).toMatch(
      /denies.*above the ceiling of EUR 500\.00.*at most EUR 100\.00/s,
    );
    expect(shop().requests).toHaveLength(before);
  });

  it('sends an approved action once', async () => {
    const questions: string[] = [];
    user = (message) => {
      questions.push(message);
      return APPROVES;
    };
    const before = shop().requests.length;
    const result = await host().request(pay(20_000));
    expect(result.answer).toMatchObject({ state: 'executed' });
    expect(questions).toEqual([
      expect.stringMatching(/^Send POST http:.*"product":7.*above the limit of EUR 100\.00/s),
    ]);
    expect(shop().requests).toHaveLength(before + 1);
  });

  it('asks no one to approve an action that it would not send', async () => {
    user = () => {
      throw new Error('asked');
    };
    const url = 'http://stranger.example/';
    const result = await host().request({ ...pay(20_000), url });
    expect(result.answer).toMatchObject({
      ...{ state: 'refused', problem: { code: 'HostNotAllowed' }, rules: [{}, {}, {}] },
    });
    expect(textOf(result)).toMatch(/^The request was refused before it was sent\. .*allowlist/);
  });

  it('does not send an action that the user declines, cancels or does not answer', async () => {
    const before = shop().requests.length;
    for (const action of ['decline', 'cancel'] as const) {
      user = () => ({ action });
      const result = await host().request(pay(20_000));
      expect(result).toMatchObject({ isError: true, answer: { state: 'declined' } });
      expect(textOf(result)).toMatch(/did not approve the action\. Nothing was sent\./);
    }
    expect(shop().requests).toHaveLength(before);
  });

  it('says that the host got no answer, and keeps asking', async () => {
    user = () => Promise.reject(new Error('the dialog broke'));
    // With MCP 2026, a host that fails to ask its user does not tell the server.
    if (era === 'modern')
      return expect(host().request(pay(20_000))).rejects.toThrow('dialog broke');
    for (let each = 0; each < 6; each++) {
      const result = await host().request(pay(20_000));
      expect(result.answer).toMatchObject({ state: 'needs_approval' });
      expect(textOf(result)).toMatch(
        /Nothing was sent.*no answer from its user.*dialog broke.*an operator either connect/,
      );
    }
  });

  it('sends nothing if the call is cancelled while the user decides', async () => {
    const before = shop().requests.length;
    const controller = new AbortController();
    user = () => {
      controller.abort();
      // With MCP 2026, no call is in flight while the user decides, because the host calls the
      // tool again after the user's answer.
      return era === 'modern' ? APPROVES : new Promise(() => {});
    };
    const params = { name: 'http_request', arguments: pay(20_000) };
    const call = host().client.callTool(params, { signal: controller.signal });
    await expect(call).rejects.toThrow(/abort/i);
    expect((await host().call('check_policy', HARMLESS)).isError).toBe(false);
    expect(shop().requests).toHaveLength(before);
  });

  it('aborts an action whose call is cancelled', async () => {
    const controller = new AbortController();
    const params = { name: 'http_request', arguments: get('/hangs') };
    const call = host().client.callTool(params, { signal: controller.signal });
    const [response] = (await once(hanging, 'request')) as [ServerResponse];
    const gone = once(response, 'close');
    controller.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await gone;
  });
});

it('times out an action whose upstream or executor service hangs', async () => {
  const outcome = { outcome: 'failure', error: 'Timeout', attempts: 1 };
  const reason = expect.stringContaining('did not answer within 500 ms');
  const service = ['--executor-url', `${shop().origin}/hangs`];
  for (const [limited, answer] of [
    [[...args(), '--attempt-timeout-ms', '500'], { outcome }],
    [[...service, '--total-timeout-ms', '500'], { state: 'unanswered', maybe_sent: true, reason }],
  ] as const) {
    await using hasty = await startMcp({ args: limited });
    const calls = ERAS.map(async (era) => {
      await using host = await httpHost(hasty, { era });
      const result = await host.request({ ...get('/hangs'), method: 'POST' });
      expect(result).toMatchObject({ isError: true, answer });
    });
    await Promise.all(calls);
  }
});
