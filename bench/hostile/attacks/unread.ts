import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Attack, RESPONSE_LIMIT, type Scene } from '../attack.ts';
import { ASK, asRequest } from '../requests.ts';
import { listOf, range } from '../shapes.ts';
import { reply } from '../upstream.ts';

/** Sockets that a process holds; 0 where the system does not tell. */
function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).filter((fd) => isSocket(`${folder}/${fd}`)).length;
  } catch {
    return 0;
  }
}

function isSocket(link: string): boolean {
  try {
    return readlinkSync(link).startsWith('socket:');
  } catch {
    return false;
  }
}

const POLL_MS = 250;
const READERS = 25;
/** Within which whoever does not read has to be cut off. */
const CUT_OFF_MS = Number(process.env.CUT_OFF_SECONDS ?? 60) * 1_000;

/** Never reads its large answers; how many connections are still held at the end. */
async function neverRead(
  { port, pid, upstream }: Scene,
  request: string,
  connections: number,
): Promise<number> {
  const inbound = () => socketsOf(pid) - upstream.open;
  const before = inbound();
  const sockets = range(connections, () => {
    const socket = connect({ host: '127.0.0.1', port }).on('error', () => {});
    socket.pause().write(request);
    return socket;
  });
  // Until they are all answered; then they have to go.
  await delay(2_000);
  let held = inbound() - before;
  for (let waited = 0; held > 0 && waited < CUT_OFF_MS; waited += POLL_MS) {
    await delay(POLL_MS);
    held = inbound() - before;
  }
  for (const socket of sockets) socket.destroy();
  return held;
}

const notCut = (held: number) =>
  held > 0 ? `${held} connections whose answers nobody reads are held` : undefined;

const slowReaders: Attack = {
  name: '25 callers that never read 10 MiB',
  finding: '5',
  patient: true,
  atOnce: READERS,
  inFlightBytes: READERS * RESPONSE_LIMIT,
  prepare: (scene) => {
    const bytes = reply({ body: listOf('[]', RESPONSE_LIMIT - 1_024) });
    scene.upstream.answer(() => bytes);
    const request = asRequest({ method: 'POST', url: scene.upstream.origin });
    return async () => ({ answers: [], wrong: notCut(await neverRead(scene, request, READERS)) });
  },
};

/** Of more, the rest is refused, in so few bytes that the system takes them all. */
const IN_A_ROW = 240;
const FEW_READERS = 4;

const unreadInARow: Attack = {
  name: '4 callers with 240 requests in a row that never read',
  patient: true,
  atOnce: FEW_READERS * IN_A_ROW,
  prepare: (scene) => async () => {
    const held = await neverRead(scene, ASK.repeat(IN_A_ROW), FEW_READERS);
    return { answers: [], wrong: notCut(held) };
  },
};

const FILE = 'GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nhost: a\r\n\r\n';
const FILES_EACH = 10;

const unreadFiles: Attack = {
  name: `100 callers that never read ${FILES_EACH} files of the documentation`,
  finding: '5',
  patient: true,
  atOnce: 100,
  prepare: (scene) => async () => {
    const held = await neverRead(scene, FILE.repeat(FILES_EACH), 100);
    return { answers: [], wrong: notCut(held) };
  },
};

export const unread: Attack[] = [slowReaders, unreadInARow, unreadFiles];
