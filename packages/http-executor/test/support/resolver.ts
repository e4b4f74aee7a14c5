import { isIPv6 } from 'node:net';
import type { Resolve } from '../../src/index.ts';

/** Addresses, an error code, or `never` for a lookup without an answer. */
type Resolution = readonly string[] | string;

interface Resolver {
  readonly resolve: Resolve;
  readonly queries: readonly string[];
}

/**
 * Answers each name with its resolutions in order, and then repeats the last. An unknown name is
 * not found. Calls `onSilence` for each lookup that the resolver leaves unanswered.
 */
export function resolver(
  names: Readonly<Record<string, readonly Resolution[]>>,
  onSilence = () => {},
): Resolver {
  const queries: string[] = [];
  const left = new Map(Object.entries(names).map(([name, answers]) => [name, [...answers]]));
  const resolve: Resolve = async (hostname) => {
    queries.push(hostname);
    const answers = left.get(hostname) ?? ['ENOTFOUND'];
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 'ENOTFOUND';
    if (answer === 'never') {
      queueMicrotask(onSilence);
      return new Promise(() => {});
    }
    if (typeof answer === 'string')
      throw Object.assign(new Error(`getaddrinfo ${answer} ${hostname}`), { code: answer });
    return answer.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  };
  return { resolve, queries };
}
