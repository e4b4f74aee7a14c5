import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram, freePort, startProcess } from '@gatehouse/testing';
import { vi } from 'vitest';

/** A server that others wrote, with a folder of its own. */
interface RealServer extends AsyncDisposable {
  readonly origin: string;
}

/** Pictures and more of a package that everybody has installed. */
export const PICTURES = new URL(
  '../../../../packages/service/node_modules/@fastify/swagger-ui/static/',
  import.meta.url,
);

/** Texts in other charsets, as bytes in hexadecimal, by name of file. */
export const TEXTS: Readonly<Record<string, readonly [hex: string, text: string]>> = {
  'menu.txt': ['436166c3a9', 'Café'],
  'menu.latin1': ['436166e92c2080', 'Café, €'],
  'menu.utf16': ['fffe430061006600e90020003dd800de', 'Café 😀'],
  'menu.sjis': ['8365835882672e', 'テスＨ.'],
  'menu.koi8': ['f0d2c9d7c5d4', 'Привет'],
};

export const PYTHON = findProgram('python3');
export const ETCD = findProgram('etcd');

/** Serves forms, texts and pictures. */
export function startPython(): Promise<RealServer> {
  const script = fileURLToPath(new URL('form-server.py', import.meta.url));
  return startServer(PYTHON, (port, folder) => {
    cpSync(PICTURES, folder, { recursive: true });
    for (const [name, [hex]] of Object.entries(TEXTS))
      writeFileSync(join(folder, name), Buffer.from(hex, 'hex'));
    return [script, String(port), folder];
  });
}

/** Keeps what it is sent as a form under `/v2/keys`. */
export function startEtcd(): Promise<RealServer> {
  return startServer(ETCD, (port, folder) => {
    const [client, peer] = [`http://127.0.0.1:${port}`, 'http://127.0.0.1:0'];
    return [
      ...['--enable-v2', '--data-dir', folder, '--logger', 'zap', '--log-level', 'error'],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer],
    ];
  });
}

async function startServer(
  program: string | undefined,
  argsFor: (port: number, folder: string) => string[],
): Promise<RealServer> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-real-'));
  const port = await freePort();
  const running = startProcess(program ?? '', { args: argsFor(port, folder) });
  const origin = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(origin), { timeout: 60_000 });
  return {
    origin,
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
