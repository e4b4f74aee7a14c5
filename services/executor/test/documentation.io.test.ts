import { readFileSync } from 'node:fs';
import { EXECUTOR_PATHS } from '@gatehouse/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { startExecutor } from './support/executor.ts';

const executor = await startExecutor();
afterAll(() => executor[Symbol.asyncDispose]());

const json = async (path: string) => JSON.parse(await (await fetch(executor.url + path)).text());
const document = await json('/openapi.json');

describe('the OpenAPI document of the executor', () => {
  it('equals the generated file in the repository', () => {
    const file = new URL('../../../openapi/executor.json', import.meta.url);
    expect(document).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });

  it('has every path of the service', async () => {
    const [, paths = ''] = /: (.*)\.$/.exec((await json('/nothing')).detail) ?? [];
    const documented = [...Object.keys(document.paths), '/docs'].sort();
    expect(documented).toEqual([...paths.split(', '), '/problems/{code}'].sort());
  });

  it('states exactly the limits of an action that the service enforces', async () => {
    const { RequestHeaders, ActionArguments } = document.components.schemas;
    const { minLength, maxLength, pattern } = ActionArguments.properties.url;
    const judge = async (action: object) =>
      (await executor.dryRun({ method: 'GET', url: executor.url, ...action })).status;
    const url = (length: number) => executor.url.padEnd(length, '/').slice(0, length);
    const headers = (count: number, value = '') =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, value]));
    const value = (length: number) => ({ headers: headers(1, 'v'.repeat(length)) });
    const mostHeaders = RequestHeaders.maxProperties;
    const longest = RequestHeaders.additionalProperties.maxLength;
    expect(minLength).toBe(1);
    // The executor never calls its own URL, so a well-formed action with that URL gets a 403.
    for (const [status, action] of [
      [400, { url: '' }],
      [403, { url: url(maxLength) }],
      [400, { url: url(maxLength + 1) }],
      [403, { headers: headers(mostHeaders) }],
      [400, { headers: headers(mostHeaders + 1) }],
      [403, value(longest)],
      [400, value(longest + 1)],
    ] as const) {
      expect(await judge(action), JSON.stringify(action).slice(0, 40)).toBe(status);
    }
    for (const url of ['ftp://a/', '/a', 'http://', 'http://a@b/', `http://${'a'.repeat(254)}`]) {
      expect([url, new RegExp(pattern).test(url), await judge({ url })]).toEqual([url, false, 400]);
    }
    for (const url of [
      'HTTP://a',
      'https://[2001:db8::1]:8/',
      'http://ä?b',
      `http://${'a'.repeat(253)}`,
    ]) {
      expect([url, new RegExp(pattern).test(url), await judge({ url })]).toEqual([url, true, 403]);
    }
  });

  it('shows the default sandbox', async () => {
    const { examples } =
      document.paths[EXECUTOR_PATHS.sandbox].get.responses[200].content['application/json'];
    expect(await json(EXECUTOR_PATHS.sandbox)).toEqual(examples.defaults.value);
  });

  it('documents the header of a replay', () => {
    const { post } = document.paths[EXECUTOR_PATHS.execute];
    expect(post.responses[200].headers).toHaveProperty('idempotent-replayed');
  });
});
