import { BOSS, shared } from '@gatehouse/testing';
import type { ElicitResult } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { startBound } from './support/bound.ts';
import { ERAS, type HostOptions, httpHost, textOf } from './support/host.ts';

const ACCEPT: ElicitResult = { action: 'accept' };
const SIGNING = { GATEHOUSE_APPROVER_TOKEN: BOSS };
const press = (url: string, button: string) => fetch(`${url}/${button}`, { method: 'POST' });

describe('a host that opens pages', () => {
  const bound = shared(startBound);
  const mcp = shared(() => bound().serve(SIGNING));
  const sent = () => bound().shop.requests.length;

  const WAYS = [
    ['Streamable HTTP', (options: HostOptions) => httpHost(mcp(), options)],
    ['stdio', (options: HostOptions) => bound().connect(SIGNING, options)],
  ] as const;
  const EACH = WAYS.flatMap(([name, connect]) => ERAS.map((era) => [name, era, connect] as const));

  it.each(EACH)(
    'over %s, %s: sends what its user approves on the page',
    async (_, era, connect) => {
      const before = sent();
      const opened: string[] = [];
      const completed: unknown[] = [];
      const ids: unknown[] = [];
      const browser = async (url: string, id?: string) => {
        opened.push(await (await fetch(url)).text());
        ids.push(id);
        if (era === 'modern') void press(url, 'approve');
        else await press(url, 'approve');
        return ACCEPT;
      };
      const never = () => Promise.reject(new Error('asked'));
      await using host = await connect({ era, browser, user: never });
      host.client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
        completed.push(params.elicitationId);
      });
      const order = bound().pay(25_000, { body: { note: '<script>alert(1)</script>' } });
      const { answer } = await host.request(order);
      expect(answer).toMatchObject({ state: 'executed', outcome: { body: { id: 7 } } });
      expect(JSON.stringify(answer.rules)).toContain('by boss until');
      expect(sent()).toBe(before + 1);
      expect(opened).toHaveLength(1);
      expect(opened[0]).toContain('body: {"note":"&lt;script>alert(1)&lt;/script>"}');
      expect(opened[0]).toContain('Asked for by planner; can be approved until');
      expect(completed).toEqual(era === 'legacy' ? ids : []);
      expect(ids).toEqual([era === 'legacy' ? expect.any(String) : undefined]);
    },
  );

  it.each(ERAS)('%s: consent to open a page approves nothing', async (era) => {
    const before = sent();
    for (const [action, button] of [
      ['accept', 'refuse'],
      ['decline', undefined],
      ['cancel', undefined],
      ['decline', 'approve'],
    ] as const) {
      let page = '';
      const browser = async (url: string) => {
        page = url;
        if (button !== undefined) await press(url, button);
        return { action };
      };
      await using host = await httpHost(mcp(), { era, browser });
      const { answer } = await host.request(bound().pay(25_000));
      expect([action, button, answer.state]).toEqual([action, button, 'declined']);
      expect((await fetch(page)).status).toBe(404);
    }
    expect(sent()).toBe(before);
  });

  it.each(ERAS)('%s: waits for the choice, and stops if the call is cancelled', async (era) => {
    const before = sent();
    const opened = Promise.withResolvers<string>();
    const browser = (url: string) => {
      opened.resolve(url);
      return ACCEPT;
    };
    await using host = await httpHost(mcp(), { era, browser });
    const controller = new AbortController();
    const params = { name: 'http_request', arguments: { ...bound().pay(25_000) } };
    const call = host.client.callTool(params, { signal: controller.signal });
    const rejected = expect(call).rejects.toThrow(/abort/i);
    const url = await opened.promise;
    expect((await fetch(url)).status).toBe(200);
    controller.abort();
    await rejected;
    await expect.poll(async () => (await fetch(url)).status).toBe(404);
    expect(sent()).toBe(before);
  });

  it('a choice approves neither another action nor a second call', async () => {
    const before = sent();
    const browser = () => ACCEPT;
    await using host = await httpHost(mcp(), { era: 'modern', browser });
    const call = async (args: object, more: object = {}) =>
      Object(
        await host.client.callTool(
          { name: 'http_request', arguments: { ...args }, ...more },
          {
            allowInputRequired: true,
          },
        ),
      );
    const ask = async () => {
      const { inputRequests, requestState } = await call(bound().pay(25_000));
      const more = { inputResponses: { approval: ACCEPT }, requestState };
      return { url: inputRequests.approval.params.url, more };
    };
    const first = await ask();
    const answers = [call(bound().pay(26_000), first.more)];
    await press(first.url, 'approve');
    expect(await Promise.all(answers)).toMatchObject([{ resultType: 'input_required' }]);

    const second = await ask();
    const twice = [call(bound().pay(25_000), second.more), call(bound().pay(25_000), second.more)];
    await press(second.url, 'approve');
    const results = await Promise.all(twice);
    expect(results.map((result) => /"state":"(\w+)"/.exec(textOf(result))?.[1]).sort()).toEqual([
      'executed',
      'needs_approval',
    ]);
    expect(sent()).toBe(before + 1);
  });
});

it('over Streamable HTTP, a call waits 45 s for the choice, and the host then calls again', async () => {
  await using bound = await startBound();
  await using mcp = await bound.serve(SIGNING);
  await using host = await httpHost(mcp, { era: 'modern', browser: () => ACCEPT });
  const params = { name: 'http_request', arguments: { ...bound.pay(25_000) } };
  const call = async (more: object = {}) =>
    Object(await host.client.callTool({ ...params, ...more }, { allowInputRequired: true }));
  const asked = await call();
  const { requestState } = asked;
  const waiting = await call({ inputResponses: { approval: ACCEPT }, requestState });
  expect(waiting).toMatchObject({ resultType: 'input_required', requestState });
  expect(waiting.inputRequests ?? {}).toEqual({});
  const { url } = asked.inputRequests.approval.params;
  await press(url, 'approve');
  expect(textOf(await call({ requestState }))).toContain('"state":"executed"');
  expect(bound.shop.requests).toHaveLength(1);
});
