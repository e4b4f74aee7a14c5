import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isOnPath, pin } from './cores.ts';
import { ACCEPTED, ACCEPTING_PATH, DOCUMENTS } from './documents.ts';
import { startSubject } from './subject.ts';

export interface Upstream extends AsyncDisposable {
  readonly program: 'nginx' | 'Node';
  readonly url: string;
}

/** Starts nginx, or a Node server if nginx is missing. Node may be too slow for some benchmarks. */
export async function startUpstream(core: number): Promise<Upstream> {
  if (isOnPath('nginx')) return startNginx(core);
  return { program: 'Node', ...(await startSubject('node-upstream.ts', { core })) };
}

const configuration = (port: number) => `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  default_type application/json;
  client_max_body_size 0;
  keepalive_requests 1000000000;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=16;
  server {
    listen 127.0.0.1:${port};
    root documents;
    location = ${ACCEPTING_PATH} { return 200 '${ACCEPTED}'; }
  }
}`;

async function startNginx(core: number): Promise<Upstream> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nginx-'));
  const port = await freePort();
  writeFileSync(join(folder, 'nginx.conf'), configuration(port));
  mkdirSync(join(folder, 'documents'));
  for (const [path, text] of Object.entries(DOCUMENTS))
    writeFileSync(join(folder, 'documents', path), text);
  const child = spawn('nginx', ['-p', folder, '-c', 'nginx.conf'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  pin(child.pid ?? 0, core);
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(`${url}${ACCEPTING_PATH}`, child);
  return {
    program: 'nginx',
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

const POLL_MS = 20;

async function untilItAnswers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    if (await fetch(url).catch(() => undefined)) return;
    await delay(POLL_MS);
  }
  throw new Error(`nginx exited with code ${child.exitCode}.`);
}

async function freePort(): Promise<number> {
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
