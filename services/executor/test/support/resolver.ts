import { isIPv6 } from 'node:net';
import type { Resolve } from '@gatehouse/http-executor';

/** Addresses, an error code, or `never` for no answer at all. */
type Answer = readonly string[] | string;

export interface Resolver {
  readonly resolve: Resolve;
  readonly queries: readonly string[];
}

/**
 * Answers each name with one answer after the other; the last one stays, and an unknown
 * name is not found. Calls back when it leaves one without an answer.
 */
export function resolver(
  names: Readonly<Record<string, readonly Answer[]>>,
  onSilence = () => {},
): Resolver {
  const queries: string[] = [];
  const left = new Map(Object.entries(names).map(([name, answers]) => [name, [...answers]]));
  const resolve: Resolve = (hostname, callback) => {
    queries.push(hostname);
    const answers = left.get(hostname) ?? ['ENOTFOUND'];
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 'ENOTFOUND';
    if (answer === 'never') return queueMicrotask(onSilence);
    if (typeof answer === 'string') {
      const error = Object.assign(new Error(`getaddrinfo ${answer} ${hostname}`), { code: answer });
      queueMicrotask(() => callback(error, []));
      return;
    }
    const addresses = answer.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    queueMicrotask(() => callback(null, addresses));
  };
  return { resolve, queries };
}

/** Names that all lead to loopback, for the real servers of these tests. */
export function loopback(...names: readonly string[]): Resolver {
  return resolver(Object.fromEntries(names.map((name) => [name, [['127.0.0.1']]])));
}
