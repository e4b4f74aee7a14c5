import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Runs `shop.ts` on a free port. It ends when it is disposed of, or with this program.
 * @throws Error with its output when it ends before it listens.
 */
export async function startShop(): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await freePort();
  const shop = fork(new URL('./shop.ts', import.meta.url), [String(port)], { silent: true });
  const ended = once(shop, 'exit');
  let output = '';
  const listening = new Promise<void>((resolve) => {
    for (const stream of [shop.stdout, shop.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('JSON Server started')) resolve();
      });
  });
  const tooEarly = ended.then(() => {
    throw new Error(`json-server ended before it listened.\n${output}`);
  });
  await Promise.race([listening, tooEarly]);
  const close = async () => {
    shop.kill();
    await ended;
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}

/** json-server cannot take any free port; like json-server, this asks on all addresses. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
