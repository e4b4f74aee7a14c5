import { loggerTo, terminalLines as readable } from '@gatehouse/service';
import { freePort, startUpstream } from '@gatehouse/testing';
import { afterAll, expect, it } from 'vitest';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { terminalLines } from '../src/terminal-lines.ts';
import { fakeClock } from './support/clock.ts';
import { clientOf } from './support/executor.ts';

const show = readable(terminalLines, () => 80);
const lines: string[] = [];
const logger = loggerTo({ write: (text) => lines.push(show(text)) }, 'info', 'executor');
const config = readConfig({ MAX_EVENT_LOOP_DELAY_MS: '600000' });
const app = buildApp({ config, logger, clock: fakeClock(), selfTest: async () => {} });
const { execute } = clientOf(await app.listen({ host: '127.0.0.1', port: 0 }));
afterAll(() => app.close());

/** The lines about an action, without the time and the service. */
async function shown(action: object): Promise<string[]> {
  lines.length = 0;
  await execute(action);
  await expect.poll(() => lines.at(-1)).not.toMatch(/ retry /);
  for (const line of lines) expect(line.trimEnd().length).toBeLessThanOrEqual(80);
  return lines.map((line) => line.slice('HH:MM:ss executor '.length).trimEnd());
}

it('at 80 columns, lines begin with what became of the action, its host and its method', async () => {
  await using upstream = await startUpstream(({ url }, response) =>
    response.writeHead(Number(url.slice(1))).end('{}'),
  );
  const host = upstream.origin.slice('http://'.length);
  const none = `127.0.0.1:${await freePort()}`;
  const cases: [action: object, shown: string[]][] = [
    [{ method: 'GET', url: `${upstream.origin}/200` }, [`GET ${host} → 200 `]],
    [{ method: 'GET', url: `${upstream.origin}/404` }, [`GET ${host} → 404 `]],
    [
      { method: 'GET', url: `${upstream.origin}/503` },
      [
        `retry GET ${host} → 503, again in 200 ms attempt=1 `,
        `retry GET ${host} → 503, again in 400 ms attempt=2 `,
        `GET ${host} → 503 after 3 attempts `,
      ],
    ],
    [{ method: 'POST', url: `http://${none}/` }, [`POST ${none} → ConnectFailure `]],
    [
      { method: 'GET', url: `${upstream.origin}/200`, response_schema: { type: 'string' } },
      [`GET ${host} → 200 SchemaValidationFailed `],
    ],
    [{ method: 'GET', url: 'http://evil.example/a' }, ['refused HostNotAllowed evil.example ']],
    [{ method: 'GET' }, ['refused InvalidAction POST /execute ']],
  ];
  for (const [action, begins] of cases) {
    const found = await shown(action);
    expect(found.map((line, at) => line.slice(0, begins[at]?.length))).toEqual(begins);
  }
});
