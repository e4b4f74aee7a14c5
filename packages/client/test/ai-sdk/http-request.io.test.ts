import { createGate } from '@gatehouse/client';
import { type FixedSections, OMITTED_ADVICE } from '@gatehouse/contracts';
import { shared } from '@gatehouse/testing';
import { asSchema, generateText, isStepCount, type JSONSchema7 } from 'ai';
import { describe, expect, it } from 'vitest';
import {
  gatehouseTool,
  type HttpRequestOptions,
  httpRequest,
  type ToolAnswer,
} from '../../src/ai-sdk/index.ts';
import { lastOutput } from './support/loop.ts';
import { modelThatCalls } from './support/model.ts';
import { engine, startWorld } from './support/world.ts';

const NOTHING = { pii: { categories: [] }, legal: { flags: [] } };
const FREE = { amount_minor_units: 0, currency: 'EUR' };

/** Lists the members of the input schema that the model sees, with the members of each section. */
async function shownOf(fixed: FixedSections): Promise<string[]> {
  const { properties = {} } = await asSchema(httpRequest(fixed).inputSchema).jsonSchema;
  return Object.entries(properties).map(([name, schema]) => {
    const members = Object.keys((schema as JSONSchema7).properties ?? {});
    return members.length > 0 ? `${name}: ${members.join(', ')}` : name;
  });
}

describe('the tool for any request', () => {
  const world = shared(startWorld);

  /**
   * Lets a model call the tool once. Returns the approval question, the result that the model
   * receives, and the number of requests sent.
   */
  async function call(input: unknown, fixed: FixedSections = {}, options?: HttpRequestOptions) {
    const gate = createGate({ policy: engine(), executor: world().executor });
    const { tool, approval } = gatehouseTool({ gate, ...httpRequest(fixed, options) });
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
    return { asked, told: lastOutput(responseMessages), sent: world().sent() - before };
  }

  const get = { method: 'GET', url: 'SHOP/products/7' };

  it('checks the claims of the model together with the fixed facts', async () => {
    const executed = { sent: 1, told: { type: 'json', value: { state: 'executed' } } };
    expect(await call({ ...get, spend: FREE, ...NOTHING })).toMatchObject(executed);
    expect(await call(get, { spend: FREE, ...NOTHING })).toMatchObject(executed);
    const currency = { spend: { currency: 'EUR', user_limit_minor_units: 1000 }, ...NOTHING };
    const cents = (amount_minor_units: number) => ({ ...get, spend: { amount_minor_units } });
    expect(await call(cents(1000), currency)).toMatchObject(executed);
    for (const [input, fixed, asked] of [
      [cents(1001), currency, 'above the limit of EUR 10.00'],
      [get, NOTHING, 'no spend section'],
      [{ ...get, spend: null }, NOTHING, 'no spend section'],
      [get, { spend: null, ...NOTHING }, 'no spend section'],
      [{ ...get, spend: FREE }, {}, 'no pii section'],
      [{ ...get, ...NOTHING, connector: {} }, { spend: FREE }, 'connector'],
    ] as const)
      expect([input, await call(input, fixed)]).toMatchObject([
        input,
        { asked: expect.stringContaining(asked), told: undefined, sent: 0 },
      ]);
    expect(
      await call({ ...get, spend: FREE }, { pii: { categories: ['biometric'] } }),
    ).toMatchObject({ told: { type: 'execution-denied' }, sent: 0 });
  });

  it('limits the body of an answer, and says how to get the rest', async () => {
    const read = async (members: object, options?: HttpRequestOptions) => {
      const answer = await call(
        { ...get, url: 'SHOP/long', ...members },
        { spend: FREE, ...NOTHING },
        options,
      );
      const { advice, outcome } = (answer.told as { value: ToolAnswer }).value;
      return { advice, bytes: Buffer.byteLength(JSON.stringify(outcome?.body)) };
    };
    expect(await read({})).toEqual({ advice: OMITTED_ADVICE, bytes: 20_000 });
    expect(await read({ max_bytes: 500 })).toEqual({ advice: OMITTED_ADVICE, bytes: 500 });
    expect(await read({}, { maxBytes: 1_000 })).toEqual({ advice: OMITTED_ADVICE, bytes: 1_000 });
    expect(await read({ max_bytes: 50_000 })).toEqual({ advice: undefined, bytes: 30_004 });
  });

  it('refuses claims about fixed facts, and malformed arguments', async () => {
    const fixed = { spend: FREE, legal: { flags: [] } };
    const whole = { ...get, pii: { categories: [] } };
    for (const [input, why] of [
      [{ ...whole, legal: { flags: [] } }, '/legal is an unknown property'],
      [{ ...whole, spend: FREE }, '/spend is an unknown property'],
      [{ ...whole, request_id: 'x' }, '/request_id is an unknown property'],
      [{ ...whole, metod: 'GET' }, '/metod is an unknown property'],
      [{ ...whole, method: 'SEND' }, '/method must be one of GET'],
      [{ pii: { categories: [] } }, '/url is required'],
      [{ ...get, pii: { categories: ['none'] } }, '/pii/categories/0 must be one of'],
      [[], 'must be an object'],
      [null, 'must be an object'],
      ['{"method"', 'must be an object'],
      [undefined, 'JSON parsing failed'],
    ] as const)
      expect([input, await call(input, fixed)]).toMatchObject([
        input,
        { told: { type: 'error-text', value: expect.stringContaining(why) }, sent: 0 },
      ]);
    expect(() => httpRequest({ legl: {} } as never)).toThrow('Correct `/legl`');
    const raised = { amount_minor_units: 40_000, currency: 'EUR', user_limit_minor_units: 50_000 };
    expect(await call({ ...get, spend: raised, ...NOTHING })).toMatchObject({
      ...{ told: { value: expect.stringContaining('user_limit_minor_units') }, sent: 0 },
    });
  });

  it('shows the model its choices in a schema that every provider accepts', async () => {
    const action = [
      ...['method', 'url', 'headers', 'body', 'body_type', 'query', 'timeout_ms'],
      ...['response_schema', 'response_type', 'fields', 'max_bytes', 'links'],
    ];
    expect(await shownOf({})).toEqual([
      ...action,
      'spend: amount_minor_units, currency',
      ...['pii: categories', 'legal: flags', 'connector: scope'],
    ]);
    expect(await shownOf({ spend: FREE, ...NOTHING, connector: null })).toEqual(action);
    expect(await shownOf({ spend: { currency: 'EUR' }, ...NOTHING, connector: null })).toEqual([
      ...action,
      'spend: amount_minor_units',
    ]);
    const schema = await asSchema(httpRequest().inputSchema).jsonSchema;
    expect(JSON.stringify(schema)).not.toMatch(/"x-|"format|"pattern|null[,\]]|"type":\[/);
    expect(schema.properties?.method).toMatchObject({
      enum: expect.arrayContaining(['GET', 'PATCH']),
    });
  });
});
