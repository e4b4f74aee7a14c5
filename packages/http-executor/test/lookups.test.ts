import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Resolve } from '../src/index.ts';
import { startExecutor, type TestExecutor } from './support/executor.ts';

type Answered = Parameters<Resolve>[1];

/** Host names, as many as the executor looks up at the same time. */
const HOSTS = Array.from({ length: 16 }, (_, n) => `h${n}.test`);
const OWN_PORT = 8092;

let executor: TestExecutor;
/** Lookups in flight, in order of their start. */
let lookups: { name: string; answered: Answered }[];
const names = () => lookups.map(({ name }) => name);

beforeEach(async () => {
  lookups = [];
  executor = await startExecutor({
    hosts: ['a.test', 'b.test', '*.slow.test', ...HOSTS],
    networks: ['127.0.0.0/8'],
    resolve: (name, answered) => lookups.push({ name, answered }),
    ownPort: () => OWN_PORT,
  });
});
afterEach(() => executor[Symbol.asyncDispose]());

/** Starts a dry run, which waits until the name has been resolved. */
async function ask(name: string, port = 80) {
  const asking = new AbortController();
  const action = { method: 'GET', url: `http://${name}:${port}/` };
  /** Resolves with the addresses, or rejects with the message if there are none. */
  const addresses = executor.dryRun(action, asking.signal).then(({ addresses: found, message }) => {
    if (found.length === 0) throw new Error(message);
    return found;
  });
  addresses.catch(() => {});
  await new Promise((asked) => setImmediate(asked));
  return { addresses, leave: () => asking.abort() };
}

/** Ends the oldest lookup that is in flight for a name, with an address or an error code. */
function end(name: string, answer: string): void {
  const index = lookups.findIndex((each) => each.name === name);
  const [lookup] = lookups.splice(index, 1);
  const failed = answer.startsWith('E') ? Object.assign(new Error(answer), { code: answer }) : null;
  lookup?.answered(failed, failed === null ? [{ address: answer, family: 4 }] : []);
}

describe('a caller that asks for the same name', () => {
  it('waits for the same answer', async () => {
    const asking = await Promise.all(Array.from({ length: 10 }, () => ask('a.test')));
    expect(names()).toEqual(['a.test']);
    end('a.test', '127.0.0.1');
    for (const { addresses } of asking) expect(await addresses).toEqual(['127.0.0.1']);
  });

  it('waits for the same failure', async () => {
    const asking = [await ask('a.test'), await ask('a.test')];
    end('a.test', 'ENOTFOUND');
    for (const { addresses } of asking) await expect(addresses).rejects.toThrow('ENOTFOUND');
  });

  it.each([
    ['127.0.0.1', ['127.0.0.1']],
    ['ENOTFOUND', undefined],
  ])('after %s starts a new lookup', async (answer, addresses) => {
    const before = (await ask('a.test')).addresses.catch(() => undefined);
    end('a.test', answer);
    expect(await before).toEqual(addresses);
    const after = await ask('a.test');
    expect(names()).toEqual(['a.test']);
    end('a.test', '127.0.0.2');
    expect(await after.addresses).toEqual(['127.0.0.2']);
  });

  it('checks the answer itself', async () => {
    const [self, other] = [await ask('a.test', OWN_PORT), await ask('a.test')];
    end('a.test', '127.0.0.1');
    await expect(self.addresses).rejects.toThrow('executor itself');
    expect(await other.addresses).toEqual(['127.0.0.1']);
  });

  it('is not disturbed by a caller that leaves', async () => {
    const [gone, waiting] = [await ask('a.test'), await ask('a.test')];
    gone.leave();
    end('a.test', '127.0.0.1');
    expect(await waiting.addresses).toEqual(['127.0.0.1']);
  });
});

describe('a lookup that has hung', () => {
  it('is not shared after its callers have left', async () => {
    (await ask('a.test')).leave();
    const second = await ask('a.test');
    expect(names()).toEqual(['a.test', 'a.test']);
    // The failure of the hung lookup must not reach the second caller.
    end('a.test', 'EAI_AGAIN');
    end('a.test', '127.0.0.1');
    expect(await second.addresses).toEqual(['127.0.0.1']);
  });
});

describe('the number of lookups', () => {
  const hang = async (...names: string[]) => {
    for (const name of names) await ask(name);
  };

  it('is limited per allowlist entry, which leaves room for other entries', async () => {
    const slow = Array.from({ length: 100 }, (_, number) => `n${number}.slow.test`);
    await hang(...slow);
    expect(names()).toEqual(slow.slice(0, 4));
    const other = await ask('a.test');
    end('a.test', '127.0.0.1');
    expect(await other.addresses).toEqual(['127.0.0.1']);
    end('n1.slow.test', '127.0.0.1');
    expect(names()).toEqual(['n0', 'n2', 'n3', 'n4'].map((name) => `${name}.slow.test`));
  });

  it('is limited in total, and later lookups wait in order of arrival', async () => {
    await hang(...HOSTS);
    const waiting = [await ask('x.slow.test'), await ask('a.test')];
    expect(names()).toEqual(HOSTS);
    end('h2.test', 'ENOTFOUND');
    end('h0.test', 'ENOTFOUND');
    expect(names().slice(-2)).toEqual(['x.slow.test', 'a.test']);
    for (const name of ['a.test', 'x.slow.test']) end(name, '127.0.0.1');
    for (const { addresses } of waiting) expect(await addresses).toEqual(['127.0.0.1']);
  });

  it('does not count callers that have left', async () => {
    await hang(...HOSTS);
    (await ask('a.test')).leave();
    end('h0.test', 'ENOTFOUND');
    expect(names()).toEqual(HOSTS.slice(1));
  });
});
