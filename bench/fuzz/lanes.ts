import { answersIn, post, talk } from '../hostile/client.ts';
import { readAnswer } from '../hostile/contract.ts';
import { reply } from '../hostile/upstream.ts';
import { actionText, checkText } from './actions.ts';
import { answers } from './answers-lane.ts';
import { requestBytes } from './heads.ts';
import { type Field, type Lane, onlyUpstream, type Verdict } from './lane.ts';
import type { Random } from './random.ts';
import { BODIES, hostileSchema } from './schemas.ts';

/** How long to wait for a service that itself waits for more. */
const QUIET_MS = 1_000;

/** Sends bytes; every answer has to be well-formed, and every refusal a problem. */
async function sendBytes(port: number, bytes: Buffer): Promise<Verdict> {
  const answered = answersIn(await talk(port, bytes, { end: true, quietMs: QUIET_MS }));
  const withoutBody = bytes.includes('HEAD');
  const labels: string[] = [];
  let fault: string | undefined;
  for (const answer of answered) {
    labels.push(String(answer.status));
    if (answer.status === 500) fault = 'status 500';
    else if (answer.status >= 400 && !(withoutBody && answer.text === ''))
      fault ??= readAnswer(answer).fault;
  }
  return {
    label: `bytes: ${[...new Set(labels)].toSorted().join(', ') || 'closed'}`,
    fault,
    input: bytes,
  };
}

async function sendJson(url: string, text: string): Promise<Verdict> {
  const { label, fault } = readAnswer(await post(url, text));
  return { label, fault, input: text };
}

/** How many of the requests are bytes rather than JSON. */
const BYTES = 0.3;

const requests: Lane = {
  name: 'requests',
  service: 'executor',
  settings: onlyUpstream,
  atOnce: 32,
  send: ({ service: { url, port }, upstream }: Field, random: Random) => {
    const text = () => actionText(random, upstream.origin);
    if (random.chance(BYTES)) return sendBytes(port, requestBytes(random, text));
    return sendJson(`${url}/execute${random.chance(0.1) ? '?dry_run=true' : ''}`, text());
  },
};

const checks: Lane = {
  name: 'checks',
  service: 'policy',
  settings: () => ({}),
  atOnce: 32,
  send: ({ service: { url, port } }: Field, random: Random) => {
    const text = () => checkText(random);
    if (random.chance(BYTES)) return sendBytes(port, requestBytes(random, text));
    return sendJson(`${url}/policy/check${random.chance(0.1) ? '?explain=true' : ''}`, text());
  },
};

const schemas: Lane = {
  name: 'schemas',
  service: 'executor',
  settings: onlyUpstream,
  atOnce: 16,
  open: ({ upstream }) =>
    upstream.answer(({ path }) => reply({ body: BODIES[Number(path.slice(1))] ?? '' })),
  send: ({ service: { url }, upstream }: Field, random: Random) => {
    const schema = hostileSchema(random);
    const target = `${upstream.origin}/${random.below(BODIES.length)}`;
    const credential = random.chance(0.2)
      ? ',"headers":{"authorization":"Bearer 0123456789abcdef"}'
      : '';
    return sendJson(
      `${url}/execute`,
      `{"method":"POST","url":"${target}"${credential},"response_schema":${schema}}`,
    );
  },
};

export const LANES: readonly Lane[] = [requests, checks, schemas, answers];
