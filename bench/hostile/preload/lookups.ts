import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Name resolution as a hostile network makes it. The names of `HOSTILE_NAMES` have the
 * addresses that stand there, and `*.slow.test` takes long. As libuv does it, few lookups
 * run at once, and the others wait for one of them to end.
 */
type Callback = (error: NodeJS.ErrnoException | null, ...answer: unknown[]) => void;
type Lookup = (hostname: string, options: dns.LookupOptions, callback: Callback) => void;

const SLOW_MS = 1_500;
/** Half of the threads of libuv, which is asked for their number late. */
const lanes = () => Math.ceil(Number(process.env.UV_THREADPOOL_SIZE ?? 4) / 2);

const names: Record<string, string> = JSON.parse(process.env.HOSTILE_NAMES ?? '{}');
const real = dns.lookup as Lookup;
const waiting: (() => void)[] = [];
let running = 0;

function enter(work: () => void): void {
  if (running >= lanes()) {
    waiting.push(work);
    return;
  }
  running += 1;
  work();
}

function leave(): void {
  running -= 1;
  const next = waiting.shift();
  if (next !== undefined) enter(next);
}

function resolve(hostname: string, options: dns.LookupOptions, callback: Callback): void {
  const address = names[hostname];
  const done: Callback = (...result) => {
    leave();
    callback(...result);
  };
  if (address !== undefined) {
    const family = address.includes(':') ? 6 : 4;
    const answer = options.all ? [[{ address, family }]] : [address, family];
    process.nextTick(() => done(null, ...answer));
  } else if (hostname.endsWith('.slow.test')) {
    setTimeout(() => done(Object.assign(new Error('slow'), { code: 'EAI_AGAIN' })), SLOW_MS);
  } else real(hostname, options, done);
}

const lookup = (
  hostname: string,
  options: dns.LookupOptions | Callback,
  callback?: Callback,
): void => {
  if (typeof options === 'function') enter(() => resolve(hostname, {}, options));
  else if (callback !== undefined) enter(() => resolve(hostname, options, callback));
};
Object.assign(dns, { lookup });
syncBuiltinESMExports();
