import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends bytes to a local port. Returns everything received until the connection closes. */
export async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.write(bytes);
  return await text(socket);
}
