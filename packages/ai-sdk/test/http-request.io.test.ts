import { createGate } from '@gatehouse/client';
import { shared } from '@gatehouse/testing';
import { asSchema, generateText, isStepCount } from 'ai';
import { describe, expect, it } from 'vitest';
import { type FixedFacts, gatehouseTool, httpRequest } from '../src/index.ts';
import { modelThatCalls, toldIn } from './support/model.ts';
import { engine, startWorld } from './support/world.ts';

const NOTHING = { pii: { categories: [] }, legal: { flags: [] } };
const FREE = { amount_minor_units: 0, currency: 'EUR' };

/** What the model sees of a section. */
async function shownOf(fixed: FixedFacts): Promise<Record<string, string[]>> {
  const schema = await asSchema(httpRequest(fixed).inputSchema).jsonSchema;
  const members = Object.entries(schema.properties ?? {}) as [string, { properties: object }][];
  return Object.fromEntries(members.map(([name, each]) => [name, Object.keys(each.properties)]));
}

describe('the tool for any request', () => {
  const world = shared(startWorld);

  /** What the model is told of a call, and how many requests were sent. */
  async function call(input: unknown, fixed: FixedFacts = {}) {
    const gate = createGate({ policy: engine(), executor: world().executor });
    const { tool, approval } = gatehouseTool({ gate, ...httpRequest(fixed) });
    const json = JSON.stringify(input)?.replaceAll('SHOP', world().origin) ?? 'undefined';
    const before = world().sent();
    const { content, responseMessages } = await generateText({
      model: modelThatCalls({ toolCallId: '1', toolName: 'http', input: json }),
      tools: { http: tool },
      toolApproval: { http: approval },
      stopWhen: isStepCount(3),
      prompt: 'Go ahead.',
    });
    const asked = content.find((part) => part.type === 'tool-approval-request')?.reason;
    return { asked, told: toldIn(responseMessages), sent: world().sent() - before };
  }

  const action = { method: 'GET', url: 'SHOP/products/7' };

  it('judges what the model claims, with what is fixed', async () => {
    const executed = { sent: 1, told: { type: 'json', value: { state: 'executed' } } };
    expect(await call({ action, spend: FREE, ...NOTHING })).toMatchObject(executed);
    expect(await call({ action }, { spend: FREE, ...NOTHING })).toMatchObject(executed);
    const currency = { spend: { currency: 'EUR', user_limit_minor_units: 1000 }, ...NOTHING };
    const cents = (amount_minor_units: number) => ({ action, spend: { amount_minor_units } });
    expect(await call(cents(1000), currency)).toMatchObject(executed);
    for (const [input, fixed, asked] of [
      [cents(1001), currency, 'above the limit of EUR 10.00'],
      [{ action }, currency, 'No spend section'],
      [{ action, spend: null }, currency, 'No spend section'],
      [{ action, spend: FREE }, {}, 'No pii section'],
      [{ action, ...NOTHING, connector: {} }, { spend: FREE }, 'connector'],
    ] as const)
      expect([input, await call(input, fixed)]).toMatchObject([
        input,
        { asked: expect.stringContaining(asked), told: undefined, sent: 0 },
      ]);
    expect(
      await call({ action, spend: FREE }, { pii: { categories: ['biometric'] } }),
    ).toMatchObject({ told: { type: 'execution-denied' }, sent: 0 });
  });

  it('takes no claim about what is fixed, and nothing malformed', async () => {
    const fixed = { spend: FREE, legal: { flags: [] } };
    const claims = { pii: { categories: [] } };
    for (const [input, why] of [
      [{ action, ...claims, legal: { flags: [] } }, '/legal is not a known member'],
      [{ action, ...claims, spend: FREE }, '/spend is not a known member'],
      [{ action, ...claims, request_id: 'x' }, '/request_id is not a known member'],
      [{ action: { ...action, metod: 'GET' }, ...claims }, '/action/metod is not a known'],
      [{ action: { method: 'SEND', url: '' }, ...claims }, '/action/method must be one of GET'],
      [{ ...claims }, '/action is required'],
      [{ action, pii: { categories: ['none'] } }, '/pii/categories/0 must be one of'],
      [[], 'must be an object'],
      [null, 'must be an object'],
      ['{"action"', 'must be an object'],
      [undefined, 'JSON parsing failed'],
    ] as const)
      expect([input, await call(input, fixed)]).toMatchObject([
        input,
        { told: { type: 'error-text', value: expect.stringContaining(why) }, sent: 0 },
      ]);
    const raised = { amount_minor_units: 40_000, currency: 'EUR', user_limit_minor_units: 50_000 };
    expect(await call({ action, spend: raised, ...NOTHING })).toMatchObject({
      ...{ told: { value: expect.stringContaining('user_limit_minor_units') }, sent: 0 },
    });
  });

  it('shows the model what it may choose, in words that every provider takes', async () => {
    const [spend, pii, legal, connector] = [
      ['amount_minor_units', 'currency'],
      ...[['categories'], ['flags'], ['scope']],
    ];
    const known = ['method', 'url', 'headers', 'body', 'response_schema', 'response_type'];
    const everything = { action: known, spend, pii, legal, connector };
    expect(await shownOf({})).toEqual(everything);
    const scope = 'mcp://shop';
    const allFixed = { spend: FREE, ...NOTHING, connector: { scope } };
    expect(await shownOf(allFixed)).toEqual({ action: known });
    expect(await shownOf({ spend: { currency: 'EUR' } })).toEqual({
      ...everything,
      spend: ['amount_minor_units'],
    });
    const schema = await asSchema(httpRequest().inputSchema).jsonSchema;
    expect(JSON.stringify(schema)).not.toMatch(/"x-|"format|"pattern|null[,\]]|"type":\[/);
    expect(schema.properties?.action).toMatchObject({
      properties: { method: { enum: expect.arrayContaining(['GET', 'PATCH']) } },
    });
  });
});
