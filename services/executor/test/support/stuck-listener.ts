import net, { type Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

export interface StuckListener extends AsyncDisposable {
  readonly address: string;
  readonly port: number;
}

/** Listens, says on which port, and never accepts: its event loop stands still. */
const LISTENS_AND_STOPS = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:net').createServer();
  server.listen({ host: workerData, port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });
`;
const ADDRESS = '127.0.0.8';

/**
 * A port that accepts no connection and refuses none, as its backlog is full; undefined
 * where a system fills none.
 */
export async function startStuckListener(): Promise<StuckListener | undefined> {
  const worker = new Worker(LISTENS_AND_STOPS, { eval: true, workerData: ADDRESS });
  const sockets: Socket[] = [];
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    await worker.terminate();
  };
  const port = await new Promise<number | undefined>((resolve) => {
    worker.once('message', resolve);
    worker.once('error', () => resolve(undefined));
  });
  // Twice in a row, since a machine that is busy lets one connection wait.
  for (let hanging = 0; port !== undefined && sockets.length < 20; ) {
    const socket = net.connect({ host: ADDRESS, port }).on('error', () => {});
    sockets.push(socket);
    const connected = new Promise<void>((resolve) => socket.once('connect', resolve));
    await Promise.race([connected, sleep(200).then(() => turn())]);
    hanging = socket.connecting ? hanging + 1 : 0;
    if (hanging === 2) return { address: ADDRESS, port, [Symbol.asyncDispose]: stop };
  }
  await stop();
  return undefined;
}
