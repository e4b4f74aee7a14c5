import { defaultProfile, evaluate } from '@gatehouse/policy';
import { reply, shared, startUpstream } from '@gatehouse/testing';
import type { CallToolResult, ElicitResult } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import {
  COSTS,
  ERAS,
  HARMLESS,
  type HostOptions,
  httpHost,
  startMcp,
  stdioHost,
  textOf,
} from './support/host.ts';

const MIB = 1024 * 1024;
const MARKER = 'canary-of-the-body';
const shop = shared(() =>
  startUpstream(({ url }, response) =>
    reply(response, { body: url === '/large' ? 'x'.repeat(MIB + 1) : { note: MARKER } }),
  ),
);
const args = () => ['--allowed-hosts', `127.0.0.1:${shop().port}`];
const mcp = shared(() => startMcp({ args: args() }));
const { digest } = evaluate(HARMLESS, defaultProfile);

const connections = [
  ['stdio', (options: HostOptions) => stdioHost({ args: args() }, options)],
  ['Streamable HTTP', (options: HostOptions) => httpHost(mcp(), options)],
] as const;
const WAYS = connections.flatMap(([name, connect]) =>
  ERAS.map((era) => [name, era, connect] as const),
);

/** Counts a word in what the server sent. */
const timesIn = ({ content, structuredContent }: CallToolResult, word: string): number =>
  JSON.stringify([content, structuredContent]).split(word).length - 1;

const HONESTY =
  'Do not send the same action again with facts that are not true, such as a lower amount.';

describe.each(WAYS)('over %s, in the %s era', (_transport, era, connect) => {
  const pay = (cents: number) => ({ method: 'POST', url: shop().origin, ...COSTS(cents) });
  const mute = shared(() => connect({ era }));
  const asking = shared(() => connect({ era, user: (): ElicitResult => ({ action: 'decline' }) }));

  it('a response body appears once, in the text that every host reads', async () => {
    const result = await mute().request({ method: 'GET', url: shop().origin, ...HARMLESS });
    expect(timesIn(result, MARKER)).toBe(1);
    expect(textOf(result)).toContain(`"body":{"note":"${MARKER}"}`);
    const { tools } = await mute().client.listTools();
    const schemas = tools.map(({ name, outputSchema }) => [name, outputSchema !== undefined]);
    // A tool with an output schema must return its whole result as structured content.
    expect(schemas).toEqual([
      ['check_policy', true],
      ['http_request', false],
    ]);
  });

  it('advice never invites a lower claim, and names amounts in one unit', async () => {
    const texts = {
      asked: textOf(await mute().request(pay(25_000))),
      denied: textOf(await mute().request(pay(90_000))),
      checked: textOf(await mute().call('check_policy', COSTS(25_000))),
    };
    for (const [name, text] of Object.entries(texts)) {
      expect([name, text]).toEqual([name, expect.stringContaining(HONESTY)]);
      expect(text, name).toContain(
        'spend_limit would allow an action that costs at most EUR 100.00',
      );
      expect(text, name).not.toMatch(/minor.units|10000|25000|90000/);
    }
  });

  it('a declined action has its rules and the digest of the profile', async () => {
    const result = await asking().request(pay(25_000));
    const outcomes = [{ outcome: 'require_approval' }, { outcome: 'allow' }, { outcome: 'allow' }];
    expect(result.answer).toMatchObject({ state: 'declined', digest, rules: outcomes });
  });

  it('a host that cannot ask its user gets advice for the model and the operator', async () => {
    const before = shop().requests.length;
    const result = await mute().request(pay(25_000));
    expect(result).toMatchObject({ isError: false, answer: { state: 'needs_approval', digest } });
    expect(textOf(result)).toMatch(
      /No one was asked, because this MCP host .*`elicitation`\. Ask the user to .*operator .*host that supports elicitation, or allow such actions in the profile/,
    );
    expect(textOf(result)).toMatch(/Tell the user that approval is required and why/);
    const personal = await mute().request({ ...pay(100), pii: { categories: ['health'] } });
    expect(textOf(personal)).toMatch(/person's approval\. Nothing was sent\..*not involve health/s);
    const elsewhere = await mute().request({ ...pay(25_000), url: 'http://stranger.example/' });
    expect(elsewhere.answer).toMatchObject({ problem: { code: 'HostNotAllowed' } });
    expect(shop().requests).toHaveLength(before);
  });

  it('a response that is too large has a number and advice, also for a file', async () => {
    const result = await mute().request({
      ...{ method: 'GET', url: `${shop().origin}/large`, ...HARMLESS },
      response_type: 'base64',
    });
    expect(textOf(result)).toMatch(
      /ResponseTooLarge: .* larger than 1 MiB, .*one page.*PDF.*operator/,
    );
    const { tools } = await mute().client.listTools();
    expect(tools[1]?.description).toContain(`at most ${MIB} bytes`);
  });
});

it('an unknown outcome says that the action may have been carried out', async () => {
  const failure = { outcome: 'failure', error: 'OutcomeUnknown', message: 'Nobody knows.' };
  await using executor = await startUpstream({ body: { ...failure, attempts: 1, history: [] } });
  await using mcp = await startMcp({ args: ['--executor-url', executor.origin] });
  await using host = await httpHost(mcp);
  const result = await host.request({ method: 'GET', url: 'http://a.example/', ...HARMLESS });
  expect(result.answer).toMatchObject({ state: 'executed', maybe_sent: true });
  expect(textOf(result)).toMatch(/OutcomeUnknown: Nobody knows\. The action may have been carried/);
});
