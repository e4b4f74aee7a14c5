import { describe, expect, it } from 'vitest';
import {
  bindAddress,
  type Environment,
  integer,
  listOf,
  oneOf,
  readSettings,
  SettingsError,
} from '../../src/index.ts';

const BIND: [text: string, host: string, port: number][] = [
  ['0.0.0.0:8081', '0.0.0.0', 8081],
  ['127.0.0.1:0', '127.0.0.1', 0],
  ['127.0.0.1:1', '127.0.0.1', 1],
  ['127.0.0.1:65535', '127.0.0.1', 65_535],
  ['localhost:80', '127.0.0.1', 80],
  ['[::]:8081', '::', 8081],
  ['[::1]:8081', '::1', 8081],
  ['[::ffff:127.0.0.1]:8081', '::ffff:127.0.0.1', 8081],
];

const NO_BIND = [
  ...['', '8081', ':8081', '127.0.0.1', '127.0.0.1:', '127.0.0.1:65536', '127.0.0.1:99999'],
  ...['127.0.0.1:123456', '127.0.0.1:-1', '127.0.0.1:http', '127.0.0.1:80 ', ' 127.0.0.1:80'],
  ...['127.0.0.1:80:80', '::1:8081', '[::1]', '[::1]8081', '[]:80', '[127.0.0.1:80'],
  ...['http://127.0.0.1:80'],
];

describe('a bind address', () => {
  const read = (text: string) => readSettings({ ADDR: text }, { ADDR: bindAddress() }).ADDR;

  it.each(BIND)('%s', (text, host, port) => {
    expect(read(text)).toEqual({ host, port });
  });

  it.each(NO_BIND)('cannot be `%s`', (text) => {
    expect(() => read(text)).toThrow(
      `ADDR=${JSON.stringify(text)}: must be host:port, such as 127.0.0.1:8081`,
    );
  });
});

describe('a whole number from 5 to 20', () => {
  const read = (text: string) => readSettings({ N: text }, { N: integer(5, 20)() }).N;

  it.each([
    ['5', 5],
    ['6', 6],
    ['19', 19],
    ['20', 20],
    ['007', 7],
  ])('%s', (text, value) => {
    expect(read(text)).toBe(value);
  });

  it.each([
    ...['', '4', '21', '-5', '+5', '5.0', '5,0', '1e1', '0x5', ' 5', '5 ', '5\n', '٥', 'NaN'],
  ])('`%s` is not accepted', (text) => {
    expect(() => read(text)).toThrow(
      `N=${JSON.stringify(text)}: must be a whole number from 5 to 20`,
    );
  });
});

describe('one of a list of words', () => {
  const read = (text: string) => readSettings({ W: text }, { W: oneOf('a', 'b')() }).W;

  it('is returned unchanged', () => {
    expect(read('b')).toBe('b');
  });

  it.each(['', 'A', 'c', 'a ', 'a,b', 'toString'])('cannot be `%s`', (text) => {
    expect(() => read(text)).toThrow(`W=${JSON.stringify(text)}: must be one of a, b`);
  });
});

describe('a list', () => {
  it.each([
    ['', []],
    [' ', []],
    [',', []],
    ['a', ['a']],
    [' a ,b,, c,', ['a', 'b', 'c']],
    ['a b', ['a b']],
  ])('`%s` is %j', (text, entries) => {
    expect(readSettings({ L: text }, { L: listOf((each) => each)() }).L).toEqual(entries);
  });

  it('reports the error of an entry', () => {
    const picky = listOf((): string[] => {
      throw new Error('`x` is malformed');
    });
    expect(() => readSettings({ L: 'x' }, { L: picky() })).toThrow('L="x": `x` is malformed');
  });
});

describe('all settings', () => {
  const specs = {
    A: integer(1, 2)(),
    B: integer(1, 2)({ default: 1 }),
    C: oneOf('x')({ default: 'x' }),
  };

  it('are read together', () => {
    expect(readSettings({ A: '2', OTHER: '?' }, specs)).toEqual({ A: 2, B: 1, C: 'x' });
  });

  it('are each listed on a separate line with the value if bad', () => {
    const env: Environment = { A: '3', B: 'x', C: 'y' };
    const lines = messageOf(env).split('\n').sort();
    expect(lines).toEqual([
      'A="3": must be a whole number from 1 to 2',
      'B="x": must be a whole number from 1 to 2',
      'C="y": must be one of x',
    ]);
  });

  it('are listed if required but missing', () => {
    expect(messageOf({})).toMatch(/^A=/);
  });

  it('are not unset if empty', () => {
    expect(messageOf({ A: '1', B: '' })).toMatch(/^B="": must be a whole number/);
  });

  function messageOf(env: Environment): string {
    try {
      readSettings(env, specs);
    } catch (error) {
      expect(error).toBeInstanceOf(SettingsError);
      return (error as SettingsError).message;
    }
    throw new Error('the settings were accepted');
  }
});
