import net, { type AddressInfo, type Socket } from 'node:net';
import type { Resolve } from '@gatehouse/http-executor';
import type { Certificate } from '@gatehouse/testing';
import { secured } from './connection-faults.ts';
import type { Fault } from './fault.ts';
import type { StuckListener } from './stuck-listener.ts';

/** One request, byte for byte. */
interface Arrival {
  readonly connection: number;
  readonly bytes: string;
}

/** An upstream with a fault, and what its name resolves to. */
export interface FaultSite extends AsyncDisposable {
  readonly resolve: Resolve;
  readonly port: number;
  readonly arrivals: readonly Arrival[];
  readonly connections: number;
  /** How often the fault was met. */
  readonly met: number;
  /** Sockets that the other side has not closed yet. */
  readonly open: number;
}

export interface FaultSiteOptions {
  /** How often the fault is there before all is well. */
  readonly times: number;
  readonly certificate: Certificate;
  readonly stuck: StuckListener | undefined;
  /**
   * A loopback address of its own, for a site that shares the port of the stuck listener.
   */
  readonly address: string;
}

const GOOD_BODY = '{"good":true}';
const GOOD_HEAD = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${GOOD_BODY.length}\r\n\r\n`;
/** Loopback, where no site listens. */
const NOBODY = '127.0.0.9';

/**
 * A server of bytes that shows its fault so many times and is a good upstream afterwards.
 */
export async function startFaultSite(fault: Fault, options: FaultSiteOptions): Promise<FaultSite> {
  const arrivals: Arrival[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let met = 0;
  const isFaulty = () => met < options.times;

  const server = net.createServer((bare) => {
    sockets.add(bare);
    bare.on('error', () => {});
    bare.on('close', () => sockets.delete(bare));
    connections += 1;
    const connection = connections;
    const faulty = fault.connected !== undefined && isFaulty();
    if (faulty) met += 1;
    const socket = faulty ? fault.connected?.(bare) : goodSocket(fault, bare, options);
    if (socket !== undefined) eachRequest(socket, (bytes) => answer(socket, { connection, bytes }));
  });
  function answer(socket: Socket, arrival: Arrival): void {
    arrivals.push(arrival);
    const hasBody = !arrival.bytes.startsWith('HEAD');
    if (fault.asked !== undefined && isFaulty()) {
      met += 1;
      fault.asked(socket, hasBody);
    } else socket.write(hasBody ? GOOD_HEAD + GOOD_BODY : GOOD_HEAD);
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(fault.leads === 'stuck' ? (options.stuck?.port ?? 0) : 0, options.address, resolve);
  await promise;
  return {
    port: (server.address() as AddressInfo).port,
    arrivals,
    resolve: (hostname, callback) => {
      const faulty = fault.leads !== undefined && isFaulty();
      if (faulty) met += 1;
      lead(faulty ? fault : {}, options, (error, addresses) =>
        callback(error && named(error, hostname), addresses),
      );
    },
    get connections() {
      return connections;
    },
    get met() {
      return met;
    },
    get open() {
      return sockets.size;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function goodSocket({ scheme }: Fault, socket: Socket, { certificate }: FaultSiteOptions): Socket {
  return scheme === 'https' ? secured(socket, certificate) : socket;
}

function eachRequest(socket: Socket, whole: (bytes: string) => void): void {
  let seen = '';
  socket.on('data', (chunk) => {
    seen += chunk.toString('latin1');
    const end = seen.indexOf('\r\n\r\n') + 4;
    const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(seen.slice(0, end)) ?? [];
    if (end < 4 || seen.length < end + Number(length)) return;
    const bytes = seen;
    seen = '';
    whole(bytes);
  });
}

type Found = Parameters<Resolve>[1];

function lead(
  { leads }: Pick<Fault, 'leads'>,
  { stuck, address }: FaultSiteOptions,
  found: Found,
): void {
  if (leads === 'silent') return;
  const hosts = { refusing: NOBODY, stuck: stuck?.address ?? NOBODY, good: address };
  queueMicrotask(() => {
    if (leads === 'ENOTFOUND' || leads === 'EAI_AGAIN')
      found(Object.assign(new Error(leads), { code: leads }), []);
    else found(null, [{ address: hosts[leads ?? 'good'], family: 4 }]);
  });
}

function named(error: NodeJS.ErrnoException, hostname: string): NodeJS.ErrnoException {
  return Object.assign(error, { message: `getaddrinfo ${error.code} ${hostname}` });
}
