import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;
const ONE_ANSWER_MS = 2_000;

/**
 * Resolves once the URL answers 2xx, or over HTTPS once it accepts connections; rejects
 * after `timeoutMs` without, or when `signal` aborts.
 */
export async function answering(url: URL, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await answers(url, signal))) {
    if (performance.now() > deadline)
      throw new Error(`${url} did not answer within ${timeoutMs} ms.`);
    await delay(POLL_MS, undefined, { signal });
  }
}

async function answers(url: URL, signal: AbortSignal): Promise<boolean> {
  // Its certificate may be one that nothing here trusts, and it may want one of ours.
  if (url.protocol === 'https:') return await isTaken(url);
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(ONE_ANSWER_MS)]),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Whether something accepts connections at the URL's host and port. */
export function isTaken({ hostname, port, protocol }: URL): Promise<boolean> {
  const usual = protocol === 'https:' ? 443 : 80;
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || usual) });
    const settle = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.setTimeout(ONE_ANSWER_MS, () => settle(false));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
