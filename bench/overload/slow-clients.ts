import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { brokenOf } from '../support/figures.ts';
import type { Finding, Target } from './flood.ts';
import { asking, healthFigures, healthRules, isGood, probe, slowest, tally } from './probe.ts';

const DRIPPING_HEADERS = 200;
const DRIPPING_BODIES = 200;
const READING_SLOWLY = 100;
const DRIP_MS = 500;
/** Until all have arrived; what they ask for at once is load, not slowness. */
const ARRIVAL_MS = 2_000;
const SLOW_S = Number(process.env.SLOW_SECONDS ?? 8);
/** Answers that a slow reader asks for at once: more than the buffers of its connection hold. */
const UNREAD_ANSWERS = 20;

/** A connection that is left open; what comes back, and its end, concern nobody. */
function open(port: number): Socket {
  return connect({ host: '127.0.0.1', port }).on('error', () => {});
}

/** Writes, and then does something over and over until it is stopped. */
function occupy(socket: Socket, beginning: string, move: () => void): () => void {
  socket.write(beginning);
  const timer = setInterval(move, DRIP_MS);
  return () => {
    clearInterval(timer);
    socket.destroy();
  };
}

function drip(port: number, beginning: string, drop: string): () => void {
  const socket = open(port).resume();
  return occupy(socket, beginning, () => socket.writable && socket.write(drop));
}

function readSlowly(port: number): () => void {
  const socket = open(port).pause();
  const requests = 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(UNREAD_ANSWERS);
  return occupy(socket, requests, () => socket.read(1));
}

/** Occupies a service with clients that hardly move, and says how others fared meanwhile. */
export async function besetBySlowClients({ name, subject, path, body }: Target): Promise<Finding> {
  const port = Number(new URL(subject.url).port);
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\n`;
  const headed = `${head}content-type: application/json\r\ncontent-length: 5000\r\n\r\n{`;
  const many = (count: number, start: () => () => void) => Array.from({ length: count }, start);
  const stops = [
    ...many(DRIPPING_HEADERS, () => drip(port, head, 'x-a: b\r\n')),
    ...many(DRIPPING_BODIES, () => drip(port, headed, ' ')),
    ...many(READING_SLOWLY, () => readSlowly(port)),
  ];
  await delay(ARRIVAL_MS);
  const health = probe(asking(`${subject.url}/healthz`));
  const normal = probe(asking(`${subject.url}${path}`, body));
  await delay(SLOW_S * 1_000);
  const [healthAnswers, answers] = await Promise.all([health(), normal()]);
  for (const stop of stops) stop();
  const figures = {
    service: name,
    slow_clients: stops.length,
    ...healthFigures(healthAnswers),
    normal: tally(answers),
    normal_max_ms: slowest(answers),
  };
  const broken = brokenOf([
    ['others are answered with 200 beside slow clients', isGood(figures.normal)],
    ...healthRules(figures),
  ]);
  return { figures, broken };
}
