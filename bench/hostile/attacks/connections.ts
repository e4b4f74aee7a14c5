import { setTimeout as delay } from 'node:timers/promises';
import { type Attack, RESPONSE_LIMIT } from '../attack.ts';
import { answersIn, post, talk } from '../client.ts';
import { ASK, asRequest, headOf } from '../requests.ts';
import { listOf, range } from '../shapes.ts';
import { reply } from '../upstream.ts';

const inARow: Attack = {
  name: '2,000 requests in a row on one connection',
  atOnce: 2_000,
  prepare: ({ port }) => {
    const requests = ASK.replace('openapi.json', 'readyz').repeat(2_000);
    return async () => {
      const answered = answersIn(await talk(port, requests, { end: true })).length;
      return {
        answers: [],
        wrong: answered === 2_000 ? undefined : `${answered} of 2,000 were answered`,
      };
    };
  },
};

const UPSTREAM_TAKES_MS = 200;

const garbage: Attack = {
  name: 'a POST, then garbage on its connection',
  finding: '13',
  prepare: ({ port, upstream }) => {
    upstream.answer((_asked, socket) => {
      setTimeout(() => socket.write(reply({ body: '1' })), UPSTREAM_TAKES_MS);
      return undefined;
    });
    const request = asRequest({ method: 'POST', url: upstream.origin });
    return async () => {
      const answers = answersIn(await talk(port, `${request}\u0001 garbage\r\n\r\n`));
      // Whoever was told nothing of it may have asked nevertheless, a moment later.
      await delay(UPSTREAM_TAKES_MS);
      const lost = upstream.asked.length > 0 && answers[0]?.status !== 200;
      return {
        answers,
        wrong: lost
          ? 'the upstream was asked, and the caller was not told what it said'
          : undefined,
      };
    };
  },
};

const PATHS = [
  ...['/docs/static/../../x', '/docs/static/%2e%2e/%2e%2e/x', '/docs/static/', '/docs//'],
  ...['/problems/../x', '/%00'],
];

async function internalErrors(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [, count = '0'] = /problems[^\n]*InternalError[^\n]* (\d+)$/m.exec(text) ?? [];
  return Number(count);
}

const alerts: Attack = {
  name: 'paths and aborted bodies that count as internal errors',
  finding: '10',
  prepare: ({ url, port }) => {
    const aborted = `${headOf(1_000)}{"method":`;
    return async () => {
      const texts = [];
      for (const path of PATHS)
        texts.push(
          await talk(port, `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`),
        );
      await Promise.all(range(20, () => talk(port, aborted, { end: true, quietMs: 500 })));
      const counted = await internalErrors(url);
      const refused = texts.flatMap(answersIn).filter(({ status }) => status >= 400);
      return {
        answers: refused,
        wrong: counted > 0 ? `${counted} requests count as internal errors` : undefined,
      };
    };
  },
};

const callersGone: Attack = {
  name: '50 callers that leave amid 10 MiB',
  atOnce: 50,
  inFlightBytes: 50 * RESPONSE_LIMIT,
  prepare: ({ port, upstream }) => {
    const bytes = reply({ body: listOf('1e20', RESPONSE_LIMIT - 1_024) });
    upstream.answer(() => bytes);
    const request = asRequest({ method: 'POST', url: upstream.origin });
    return async () => {
      await Promise.all(range(50, (n) => talk(port, request, { quietMs: 20 * (n % 10) + 1 })));
      return { answers: [] };
    };
  },
};

const largeBodies: Attack = {
  name: '100 bodies of 16 MiB at once',
  atOnce: 100,
  prepare: ({ url }) => {
    const body = Buffer.alloc(16 * 1_024 * 1_024, '[');
    return async () => ({
      answers: await Promise.all(range(100, () => post(`${url}/execute`, body))),
    });
  },
};

export const connections: Attack[] = [inARow, garbage, alerts, callersGone, largeBodies];
