import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startProcess } from '@gatehouse/testing';
import type { Stack } from './stack.ts';

export const CONFIG_FOLDER = new URL('../../prometheus/', import.meta.url).pathname;

export interface Prometheus extends AsyncDisposable {
  /** Returns `data` of an API response, or undefined until Prometheus is ready. */
  get(path: string): Promise<unknown>;
  query(expression: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]>;
}

/**
 * Starts a real Prometheus with our configuration, changed so that Prometheus scrapes the services
 * in `stack` every second.
 */
export async function startPrometheus(stack: Stack): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  cpSync(CONFIG_FOLDER, folder, { recursive: true });
  const config = readFileSync(join(folder, 'prometheus.yml'), 'utf8')
    .replace('policy:8081', new URL(stack.policy).host)
    .replace('executor:8092', new URL(stack.executor).host)
    .replaceAll('15s', '1s');
  writeFileSync(join(folder, 'prometheus.yml'), config);
  const address = `127.0.0.1:${await freePort()}`;
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ];
  const running = startProcess('prometheus', { args });
  const get = async (path: string) => {
    const response = await fetch(`http://${address}/api/v1/${path}`).catch(() => undefined);
    return response?.ok ? ((await response.json()) as { data: unknown }).data : undefined;
  };
  return {
    get,
    query: async (expression) => {
      const data = await get(`query?query=${encodeURIComponent(expression)}`);
      return (
        (
          data as
            | { result: { metric: Record<string, string>; value: [number, string] }[] }
            | undefined
        )?.result ?? []
      );
    },
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
