import type { Socket } from 'node:net';
import tls from 'node:tls';
import { type Certificate, selfSigned } from '@gatehouse/testing';
import {
  BROKEN,
  BROKEN_AT_ONCE,
  CONNECTING_TIMED_OUT,
  type Fault,
  NO_TLS,
  RESOLVING_TIMED_OUT,
  UNCONNECTED,
} from './fault.ts';

const stranger = await selfSigned('*.api.test');

/** Requests that arrive over TLS that this certificate speaks for. */
export function secured(socket: Socket, certificate: Certificate): Socket {
  return new tls.TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => {});
}

const WAY: Fault[] = [
  { name: 'refused', leads: 'refusing', expected: UNCONNECTED },
  { name: 'a name that does not exist', leads: 'ENOTFOUND', expected: UNCONNECTED },
  { name: 'a resolver that fails for now', leads: 'EAI_AGAIN', expected: UNCONNECTED },
  { name: 'a resolver that never answers', leads: 'silent', expected: RESOLVING_TIMED_OUT },
  {
    name: 'a full backlog, so that connecting hangs',
    leads: 'stuck',
    expected: CONNECTING_TIMED_OUT,
  },
  { name: 'refused, https', scheme: 'https', leads: 'refusing', expected: UNCONNECTED },
];

const CONNECTION: Fault[] = [
  { name: 'FIN at once', connected: (socket) => void socket.resume().end(), expected: BROKEN },
  {
    name: 'RST at once',
    connected: (socket) => void socket.resetAndDestroy(),
    expected: BROKEN_AT_ONCE,
  },
];

/** The first bytes of a TLS client are its hello. */
const onHello = (answer: (socket: Socket) => void) => (socket: Socket) => {
  socket.once('data', () => answer(socket));
  return undefined;
};

const TLS: Fault[] = [
  {
    name: 'a certificate nobody vouches for',
    connected: (socket) => secured(socket, stranger),
    expected: NO_TLS,
  },
  {
    name: 'plain HTTP behind https',
    connected: onHello((socket) =>
      socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'),
    ),
    expected: NO_TLS,
  },
  {
    name: 'a TLS handshake that hangs',
    connected: onHello(() => {}),
    expected: CONNECTING_TIMED_OUT,
  },
  {
    name: 'FIN in the TLS handshake',
    connected: onHello((socket) => socket.end()),
    expected: UNCONNECTED,
  },
  {
    name: 'RST in the TLS handshake',
    connected: onHello((socket) => socket.resetAndDestroy()),
    expected: UNCONNECTED,
  },
];

/** Faults before a request arrives: in name resolution, on the way, in TLS. */
export const CONNECTION_FAULTS: readonly Fault[] = [
  ...WAY,
  ...CONNECTION,
  ...TLS.map((fault) => ({ ...fault, scheme: 'https' as const })),
];
