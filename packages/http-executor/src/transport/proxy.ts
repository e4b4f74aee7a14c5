import type { Socket } from 'node:net';
import { portOf } from '@gatehouse/contracts/action';
import { buildConnector, Client } from 'undici';
import { isSuccess, TransportError } from '../wire.ts';
import { refuseEarlyData } from './connect.ts';
import { toTransportError } from './faults.ts';

/** Returns a connector for undici that connects through tunnels of an HTTP proxy. */
export function tunnelConnector(
  proxy: URL,
  proxyOptions: buildConnector.BuildOptions,
  options: buildConnector.BuildOptions,
): buildConnector.connector {
  const connectProxy = buildConnector(proxyOptions);
  const timeoutMs = options.timeout ?? 0;
  const startTls = buildConnector(options);
  return (target, callback) => {
    const { host, protocol, port } = target;
    const authority = `${host?.replace(/:\d+$/, '')}:${portOf({ protocol, port })}`;
    openTunnel(proxy, connectProxy, authority, timeoutMs).then(
      (socket) => {
        const connected = refuseEarlyData(host ?? '', callback);
        if (protocol === 'https:') startTls({ ...target, httpSocket: socket }, connected);
        else connected(null, socket);
      },
      (error) => callback(error, null),
    );
  };
}

/** Opens a tunnel with a `CONNECT` request. @throws {TransportError} about the proxy */
async function openTunnel(
  proxy: URL,
  connectProxy: buildConnector.connector,
  authority: string,
  timeoutMs: number,
): Promise<Socket> {
  const client = new Client(proxy.origin, {
    // undici would expect the proxy's certificate to name the host in the header `host`.
    connect: ({ servername: _servername, ...target }, connected) => connectProxy(target, connected),
    headersTimeout: timeoutMs,
  });
  const { username, password } = proxy;
  const login = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64');
  const headers = {
    host: authority,
    ...((username || password) && { 'proxy-authorization': `Basic ${login}` }),
  };
  try {
    const { statusCode: status, socket } = await client.connect({ path: authority, headers });
    if (isSuccess(status)) return socket as Socket;

    socket.destroy();
    const refused = `The outgoing proxy did not connect to \`${authority}\` (status ${status}).`;
    throw new TransportError('connection', refused);
  } catch (error) {
    throw toTransportError(error, proxy, 'connecting', 'The outgoing proxy');
  }
}
