import { shared, startUpstream } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { COSTS, HARMLESS, startMcp, textOf } from './support/host.ts';
import { HOST_NAMES, installHosts } from './support/hosts.ts';

const MARKER = 'canary-of-the-body';
const hosts = shared(installHosts);
const shop = shared(() => startUpstream({ body: { note: MARKER } }));
const args = () => ['--allowed-hosts', `127.0.0.1:${shop().port}`];
const mcp = shared(() => startMcp({ args: args() }));

const WAYS = HOST_NAMES.flatMap((name) =>
  (['stdio', 'Streamable HTTP'] as const).map((transport) => [name, transport] as const),
);

it('the model of each framework gets each body once, and advice if it cannot ask', async () => {
  const read = { method: 'get', url: shop().origin, ...HARMLESS };
  const pay = { method: 'POST', url: shop().origin, ...COSTS(25_000) };
  const told = await hosts().askModels({ args: args(), calls: [read, pay] });
  expect(told.map(({ framework }) => framework)).toEqual(['langchain', 'aiSdk', 'openAi']);
  for (const { framework, results } of told) {
    const [body, advice] = results.map((result) => JSON.stringify(result));
    expect([framework, body?.split(MARKER).length]).toEqual([framework, 2]);
    expect(advice, framework).toMatch(/No one was asked, because this MCP host .*operator/);
  }
});

describe.each(WAYS)('%s over %s', (name, transport) => {
  const read = () => ({ method: 'get', url: `${shop().origin}/products/7`, ...HARMLESS });
  const pay = () => ({
    method: 'POST',
    url: shop().origin,
    body: { product: 7 },
    ...COSTS(25_000),
  });
  const run = (calls: readonly object[], answer?: 'accept' | 'decline') => {
    const url = transport === 'stdio' ? undefined : mcp().url;
    return hosts().run(name, {
      args: args(),
      calls,
      ...(url && { url }),
      ...(answer && { answer }),
    });
  };

  it('reads each body once, and sends what its user approves', async () => {
    const before = shop().requests.length;
    const { tools, asked, results } = await run([read(), pay()], 'accept');
    expect(tools).toEqual(['check_policy', 'http_request']);
    expect(asked).toBe(1);
    for (const result of results) {
      expect(textOf(result)).toContain('"state":"executed"');
      expect(JSON.stringify(result).split(MARKER)).toHaveLength(2);
    }
    expect(
      shop()
        .requests.slice(before)
        .map(({ body }) => body),
    ).toEqual(['', '{"product":7}']);
  });

  it('sends nothing that its user declines, and says why', async () => {
    const before = shop().requests.length;
    const { asked, results } = await run([pay()], 'decline');
    expect(asked).toBe(1);
    for (const result of results)
      expect(textOf(result)).toMatch(/did not approve.*"state":"declined".*"spend_limit"/s);
    expect(shop().requests).toHaveLength(before);
  });

  it('says what to do if it cannot ask its user, or if its model writes JSON as text', async () => {
    const before = shop().requests.length;
    const { asked, results } = await run([pay(), { ...pay(), body: '{"product":7}' }]);
    expect(asked).toBe(0);
    const [unasked, refused] = results.map(textOf);
    expect(unasked).toMatch(/No one was asked, because this MCP host .*`elicitation`.*operator/);
    expect(refused).toMatch(/text that holds a JSON object; write the object itself/);
    expect(shop().requests).toHaveLength(before);
  });
});
