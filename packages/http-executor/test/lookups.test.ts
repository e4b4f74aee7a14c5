import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Resolve } from '../src/index.ts';
import { type UndiciTransport, undiciTransport } from '../src/transport/undici.ts';

type Answer = Parameters<Resolve>[1];

/** As many as there may be lookups. */
const HOSTS = Array.from({ length: 16 }, (_, n) => `h${n}.test`);
const OWN_PORT = 8092;

let transport: UndiciTransport;
/** Lookups in flight, in the order in which they began. */
let lookups: { name: string; answered: Answer }[];
const names = () => lookups.map(({ name }) => name);

beforeEach(() => {
  lookups = [];
  const sandbox = createSandbox(['a.test', 'b.test', '*.slow.test', ...HOSTS], ['127.0.0.0/8']);
  transport = undiciTransport(sandbox, {
    resolve: (name, answered) => lookups.push({ name, answered }),
    ownPort: () => OWN_PORT,
  });
});
afterEach(() => transport.close());

/** Somebody who asks for a name, until its lookup answers or nobody waits for it. */
function ask(name: string, port = 80): { addresses: Promise<string[]>; leave: () => void } {
  const asking = new AbortController();
  const addresses = transport.preview(new URL(`http://${name}:${port}/`), asking.signal);
  addresses.catch(() => {});
  return { addresses, leave: () => asking.abort() };
}

/** Ends the first lookup in flight of a name. */
function end(name: string, answer: string): void {
  const index = lookups.findIndex((each) => each.name === name);
  const [lookup] = lookups.splice(index, 1);
  const failed = answer.startsWith('E') ? Object.assign(new Error(answer), { code: answer }) : null;
  lookup?.answered(failed, failed === null ? [{ address: answer, family: 4 }] : []);
}

describe('who asks for the same name', () => {
  it('waits for the same answer', async () => {
    const asking = Array.from({ length: 10 }, () => ask('a.test'));
    expect(names()).toEqual(['a.test']);
    end('a.test', '127.0.0.1');
    for (const { addresses } of asking) expect(await addresses).toEqual(['127.0.0.1']);
  });

  it('waits for the same failure', async () => {
    const asking = [ask('a.test'), ask('a.test')];
    end('a.test', 'ENOTFOUND');
    for (const { addresses } of asking) await expect(addresses).rejects.toThrow('ENOTFOUND');
  });

  it.each([
    ['127.0.0.1', ['127.0.0.1']],
    ['ENOTFOUND', undefined],
  ])('after it was answered %s has it looked up anew', async (answer, addresses) => {
    const before = ask('a.test').addresses.catch(() => undefined);
    end('a.test', answer);
    expect(await before).toEqual(addresses);
    const after = ask('a.test');
    expect(names()).toEqual(['a.test']);
    end('a.test', '127.0.0.2');
    expect(await after.addresses).toEqual(['127.0.0.2']);
  });

  it('judges the answer on its own', async () => {
    const [self, other] = [ask('a.test', OWN_PORT), ask('a.test')];
    end('a.test', '127.0.0.1');
    await expect(self.addresses).rejects.toThrow('executor itself');
    expect(await other.addresses).toEqual(['127.0.0.1']);
  });

  it('is not disturbed by one who leaves', async () => {
    const [gone, waiting] = [ask('a.test'), ask('a.test')];
    gone.leave();
    end('a.test', '127.0.0.1');
    expect(await waiting.addresses).toEqual(['127.0.0.1']);
  });
});

describe('a lookup that has hung', () => {
  it('for which nobody waits any more is not waited for', async () => {
    ask('a.test').leave();
    const second = ask('a.test');
    expect(names()).toEqual(['a.test', 'a.test']);
    // The hung one fails, at last, which is not what the second asked for.
    end('a.test', 'EAI_AGAIN');
    end('a.test', '127.0.0.1');
    expect(await second.addresses).toEqual(['127.0.0.1']);
  });

  it('ends without harm to who asks later', async () => {
    ask('a.test').leave();
    const [second, third] = [ask('a.test'), ask('a.test')];
    end('a.test', '127.0.0.9');
    const fourth = ask('a.test');
    expect(names()).toEqual(['a.test']);
    end('a.test', '127.0.0.1');
    for (const { addresses } of [second, third, fourth])
      expect(await addresses).toEqual(['127.0.0.1']);
  });
});

describe('the number of lookups', () => {
  const hang = (...names: string[]) => {
    for (const name of names) ask(name);
  };

  it('is bounded under one entry, which leaves room for the others', async () => {
    const slow = Array.from({ length: 100 }, (_, number) => `n${number}.slow.test`);
    hang(...slow);
    expect(names()).toEqual(slow.slice(0, 4));
    const other = ask('a.test');
    end('a.test', '127.0.0.1');
    expect(await other.addresses).toEqual(['127.0.0.1']);
    end('n1.slow.test', '127.0.0.1');
    expect(names()).toEqual(['n0', 'n2', 'n3', 'n4'].map((name) => `${name}.slow.test`));
  });

  it('is bounded in all: later ones wait, in the order of arrival', async () => {
    hang(...HOSTS);
    const waiting = [ask('x.slow.test'), ask('a.test')];
    expect(names()).toEqual(HOSTS);
    end('h2.test', 'ENOTFOUND');
    end('h0.test', 'ENOTFOUND');
    expect(names().slice(-2)).toEqual(['x.slow.test', 'a.test']);
    for (const name of ['a.test', 'x.slow.test']) end(name, '127.0.0.1');
    for (const { addresses } of waiting) expect(await addresses).toEqual(['127.0.0.1']);
  });

  it('has no place for those who have left', () => {
    hang(...HOSTS);
    ask('a.test').leave();
    end('h0.test', 'ENOTFOUND');
    expect(names()).toEqual(HOSTS.slice(1));
  });

  it('is back at none in the end', async () => {
    const all = [...HOSTS, 'a.test'].flatMap((name) => [ask(name), ask(name)]);
    while (lookups.length > 0) end(names()[0] ?? '', '127.0.0.1');
    for (const { addresses } of all) expect(await addresses).toEqual(['127.0.0.1']);
    hang(...HOSTS.toReversed());
    expect(names()).toEqual(HOSTS.toReversed());
  });
});
