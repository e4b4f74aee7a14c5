import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type LookupLimits, type Resolve } from '../src/index.ts';
import { type UndiciTransport, undiciTransport } from '../src/transport/undici.ts';

type Answer = Parameters<Resolve>[1];

const LIMITS: LookupLimits = { total: 5, perEntry: 3 };
const OWN_PORT = 8092;

let transport: UndiciTransport;
/** Lookups in flight, in the order in which they began. */
let lookups: { name: string; answered: Answer }[];
const names = () => lookups.map(({ name }) => name);

beforeEach(() => {
  lookups = [];
  const sandbox = createSandbox(
    ['a.test', 'b.test', 'c.test', 'd.test', 'e.test', 'f.test', '*.slow.test'],
    ['127.0.0.0/8'],
  );
  transport = undiciTransport(sandbox, {
    resolve: (name, answered) => lookups.push({ name, answered }),
    lookupLimits: LIMITS,
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
    hang(...Array.from({ length: 100 }, (_, number) => `n${number}.slow.test`));
    expect(names()).toEqual(['n0.slow.test', 'n1.slow.test', 'n2.slow.test']);
    const other = ask('a.test');
    end('a.test', '127.0.0.1');
    expect(await other.addresses).toEqual(['127.0.0.1']);
    end('n1.slow.test', '127.0.0.1');
    expect(names()).toEqual(['n0.slow.test', 'n2.slow.test', 'n3.slow.test']);
  });

  it('is bounded in all: who comes too late waits, in the order of arrival', async () => {
    hang('a.test', 'b.test', 'c.test', 'd.test', 'e.test');
    const waiting = [ask('x.slow.test'), ask('f.test')];
    expect(names()).toEqual(['a.test', 'b.test', 'c.test', 'd.test', 'e.test']);
    end('c.test', 'ENOTFOUND');
    end('a.test', 'ENOTFOUND');
    expect(names()).toEqual(['b.test', 'd.test', 'e.test', 'x.slow.test', 'f.test']);
    for (const name of ['f.test', 'x.slow.test']) end(name, '127.0.0.1');
    for (const { addresses } of waiting) expect(await addresses).toEqual(['127.0.0.1']);
  });

  it('has no place for who has left', () => {
    hang('a.test', 'b.test', 'c.test', 'd.test', 'e.test');
    ask('f.test').leave();
    end('a.test', 'ENOTFOUND');
    expect(names()).toEqual(['b.test', 'c.test', 'd.test', 'e.test']);
  });

  it('is back at none in the end', async () => {
    const all = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) => [
      ask(`${name}.test`),
      ask(`${name}.test`),
    ]);
    while (lookups.length > 0) end(names()[0] ?? '', '127.0.0.1');
    for (const { addresses } of all) expect(await addresses).toEqual(['127.0.0.1']);
    hang('f.test', 'e.test', 'd.test', 'c.test', 'b.test');
    expect(names()).toEqual(['f.test', 'e.test', 'd.test', 'c.test', 'b.test']);
  });
});
