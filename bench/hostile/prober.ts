import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Service } from './service.ts';

/** What asking `GET /healthz` all the time has shown. */
interface Probed {
  /** The longest wait for an answer. */
  readonly wallMs: number;
  /** Without the time in which the machine ran others: the service's own part. */
  readonly heldMs: number;
  /** The most memory that was resident; 0 where the system does not tell. */
  readonly peakMib: number;
}

export interface Prober extends AsyncDisposable {
  /** Since the last report. */
  report(): Promise<Probed>;
}

type Message = { readonly report: Probed } | { readonly stalledMs: number };

const MAIN = fileURLToPath(new URL('prober-process.ts', import.meta.url));

/** Asks from a process of its own, so that the work of an attacker does not count. */
export function startProber(
  { port, pid }: Pick<Service, 'port' | 'pid'>,
  onStall: (ms: number) => void = () => {},
): Prober {
  const child = fork(MAIN, [String(port), String(pid)], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting: ((report: Probed) => void)[] = [];
  child.on('message', (message: Message) => {
    if ('report' in message) waiting.shift()?.(message.report);
    else onStall(message.stalledMs);
  });
  return {
    report: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        child.send('report');
      }),
    [Symbol.asyncDispose]: async () => {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
