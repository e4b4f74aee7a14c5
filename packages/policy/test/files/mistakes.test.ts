import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidFile } from '@gatehouse/config-file';
import { describe, expect, it } from 'vitest';
import { readProfileFile, readProfiles } from '../../src/files/index.ts';

const FILE = 'acme.yaml';
const NAME = 'must be a string of 1 to 64 letters, digits, `.`, `_` or `-`';
const ONE_OF = 'must be one of allow, require_approval, deny';
const KNOWN = 'is an unknown property; known:';

function number(text: string): string {
  return `the file has the number \`${text}\`; write it in plain decimal notation with no more digits than a double can represent`;
}

/**
 * Contents of a file, and the lines of the error message without the file name at the start of each
 * line.
 */
const MISTAKES: [name: string, text: string, ...lines: string[]][] = [
  ['no name', 'spend:\n  limit_major_units: 5\n', '1:1: /name is required'],
  ['a name with a space', 'name: my own\n', `1:1: /name ${NAME}`],
  [
    'a misspelled section',
    'name: a\n\nspent:\n  limit_major_units: 5\n',
    `3:1: /spent ${KNOWN} name, version, spend, pii, legal, connector, actions`,
  ],
  ['a section without members', 'name: a\nspend:\n', '2:1: /spend must be an object'],
  [
    'a limit above the default ceiling',
    'name: a\nspend:\n  limit_major_units: 501\n',
    '2:1: /spend/ceiling_major_units must be at least as high as the limit, which is 501 major units; the profile omits this member, so its default applies',
  ],
  [
    'a currency without anything',
    'name: a\nspend:\n  currencies:\n    USD:\n',
    '4:5: /spend/currencies/USD must be an object',
  ],
  [
    'an outcome that YAML reads as another type',
    'name: a\nlegal:\n  flags: { other: yes, terms_unknown: true, requires_review: }\n',
    `3:12: /legal/flags/other ${ONE_OF}`,
    '3:24: /legal/flags/terms_unknown must be a string',
    `3:24: /legal/flags/terms_unknown ${ONE_OF}`,
    '3:45: /legal/flags/requires_review must be a string',
    `3:45: /legal/flags/requires_review ${ONE_OF}`,
  ],
  [
    'a scope both denied and allowed',
    'name: a\nconnector:\n  deny: [mcp://crm]\n  allow: [mcp://files, mcp://CRM]\n',
    '4:24: /connector/allow/1 never applies, because the entry `mcp://crm` in `deny` matches first; remove one of the two entries',
  ],
  [
    'a member twice',
    'name: a\nspend:\n  limit_major_units: 1\n  limit_major_units: 2\n',
    '4:3: the file is not valid YAML or JSON: Map keys must be unique',
  ],
  [
    'two documents',
    'name: a\n---\nname: b\n',
    '2:1: the file contains a second YAML document; write everything in one document',
  ],
  [
    'a tag',
    'name: !!js/function a\n',
    '1:7: the file is not valid YAML or JSON: Unresolved tag: tag:yaml.org,2002:js/function',
  ],
  [
    'numbers that are not written plainly',
    'name: a\nspend: { limit_major_units: 010, ceiling_major_units: 1e2 }\n',
    `2:29: ${number('010')}`,
    `2:55: ${number('1e2')}`,
  ],
  [
    'numbers that parsing would change',
    'name: a\nlimits: [10000.0000000000001, 9007199254740993, 9007199254740991, 1.50, -3, 0]\n',
    `2:10: ${number('10000.0000000000001')}`,
    `2:31: ${number('9007199254740993')}`,
  ],
  [
    'tabs, without the errors that follow from them',
    'name: a\nactions:\n  rules:\n\t- host: a.example\n      outcome: deny\n',
    '4:1: the file is not valid YAML or JSON: Tabs are not allowed as indentation',
  ],
  [
    'broken YAML',
    'name: a\nspend: { limit_major_units: 1\n',
    '3:1: the file is not valid YAML or JSON: Flow map in block collection must be sufficiently indented and end with a }',
  ],
  [
    'broken JSON',
    '{"name": "a", "spend": {"limit_major_units": 1}\n',
    '2:1: the file is not valid YAML or JSON: Flow map must end with a }',
  ],
  [
    'a key that would clear the terminal',
    'name: a\n"\\e[2Jspend": 1\n',
    `2:1: /\\u{1b}[2Jspend ${KNOWN} name, version, spend, pii, legal, connector, actions`,
  ],
  [
    'a key that every object inherits',
    '{"name":"a","__proto__":{"spend":1}}',
    `1:13: /__proto__ ${KNOWN} name, version, spend, pii, legal, connector, actions`,
  ],
  [
    'several mistakes, in the order of the file',
    'pii:\n  missing: allow\nname: a b\nlegal: 5\n',
    '2:3: /pii/missing must be one of require_approval, deny',
    `3:1: /name ${NAME}`,
    '4:1: /legal must be an object',
  ],
  [
    'a profile that no caller uses',
    'default: a\nprofiles:\n  - name: a\n  - name: b\n',
    '4:5: /profiles/1/name is unused, because it is neither the `default` nor in `callers`; use it or remove it',
  ],
  [
    'two profiles with the same name',
    'default: a\nprofiles:\n  - name: a\n  - name: a\n',
    '4:5: /profiles/1/name is already the name of an earlier profile; choose a different name',
  ],
  [
    'callers and a default without a profile',
    'default: x\nprofiles: [{ name: a }]\ncallers:\n  p: a\n  q: b\n',
    '1:1: /default must be the name of a profile in this file: a',
    '5:3: /callers/q must be the name of a profile in this file: a',
  ],
  [
    'a caller whose name no token can have',
    'default: a\nprofiles: [{ name: a }]\ncallers: { "p q": a }\n',
    '3:12: /callers/p q is not a valid name; use 1 to 64 letters, digits, `.`, `_` or `-`',
  ],
];

describe('a profile file is refused if it has', () => {
  it.each(MISTAKES)('%s', (_name, text, ...lines) => {
    const message = lines.map((line) => `${FILE}:${line}`).join('\n');
    expect(() => readProfiles(text, FILE)).toThrow(InvalidFile);
    expect(messageOf(() => readProfiles(text, FILE))).toBe(message);
    const found = mistakesIn(text).map(({ line, column }) => `${line}:${column}`);
    expect(found).toEqual(lines.map((line) => line.split(': ')[0]));
  });

  it.each([
    ['an alias without an anchor', 'name: *a\n', 'Unresolved alias'],
    ['endlessly nested lists', '['.repeat(20_000), ''],
    ['too many aliases', `a: &a [1]\nb: [${'*a,'.repeat(5_000)}]\n`, 'Excessive alias count'],
  ])('%s', (_name, text, reason) => {
    const message = messageOf(() => readProfiles(text, FILE));
    expect(message).toMatch(/^acme\.yaml:(\d+:\d+: the file)? is not valid YAML or JSON: /);
    expect(message).toContain(reason);
  });
});

it('lists the first 20 mistakes of a file', () => {
  const names = Array.from({ length: 100 }, (_, index) => `x${index}: 1\n`).join('');
  for (const text of [names, `a: 010\nb: "${'\\x'.repeat(100)}"\n`]) {
    const lines = mistakesIn(text).map(({ line }) => line);
    expect(lines).toHaveLength(20);
    expect(lines[0]).toBe(1);
  }
});

describe('a file that cannot be read', () => {
  it('is reported with its path and the reason', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-profile-'));
    const path = join(folder, 'acme.yaml');
    const reason = (content: string | Uint8Array) => {
      writeFileSync(path, content);
      return messageOf(() => readProfileFile(path)).replace(path, '');
    };
    expect(messageOf(() => readProfileFile(path))).toBe(`${path}: cannot be read (ENOENT)`);
    expect(messageOf(() => readProfileFile(folder))).toBe(
      `${folder}: cannot be read (it is not a regular file)`,
    );
    expect(messageOf(() => readProfileFile('/dev/null'))).toBe(
      '/dev/null: cannot be read (it is not a regular file)',
    );
    expect(reason(new Uint8Array([0x6e, 0xff]))).toBe(': is not in UTF-8');
    expect(reason(`name: a\n#${'x'.repeat(32 * 1024)}`)).toBe(
      ': is larger than the limit of 32768 bytes',
    );
    const largest = `name: a\n#${'x'.repeat(32 * 1024 - 9)}`;
    writeFileSync(path, largest);
    expect(readProfileFile(path).default.name).toBe('a');
    rmSync(folder, { recursive: true });
  });
});

const messageOf = (action: () => unknown): string => refusalOf(action).message;
const mistakesIn = (text: string) => refusalOf(() => readProfiles(text, FILE)).mistakes;

function refusalOf(action: () => unknown): InvalidFile {
  try {
    action();
  } catch (error) {
    return error as InvalidFile;
  }
  return expect.fail('nothing was thrown');
}
