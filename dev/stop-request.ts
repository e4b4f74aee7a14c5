import { exists, launchers } from './launchers.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const POLL_MS = 250;

/**
 * Resolves, with the reason, when this program is to stop. Signals after the first are
 * ignored: a Ctrl-C comes from the terminal and again from a package manager that
 * forwards it. One that is ended without forwarding the signal, as `npx` is, is noticed
 * by its absence.
 */
export function stopRequest(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve(signal));
    launchers().then((pids) => {
      const watch = () => {
        if (!pids.every(exists)) resolve('the package manager that started this has ended');
      };
      setInterval(watch, POLL_MS).unref();
    });
  });
}
