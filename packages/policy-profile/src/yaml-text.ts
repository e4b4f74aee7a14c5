import { MAX_VIOLATIONS, pointerToken, type Violation } from '@gatehouse/contracts';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { Mistake } from './invalid-file.ts';

/** What a text in YAML or JSON says, and where it says it. */
export interface YamlText {
  readonly value: unknown;
  readonly mistakes: readonly Mistake[];
  locate(violations: readonly Violation[]): Mistake[];
}

/** JSON is YAML, too. Never throws: what cannot be read is a mistake. */
export function parseYaml(text: string): YamlText {
  const lines = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: line || 1, column: col || 1 };
  };
  try {
    const document = parseDocument(text, { ...OPTIONS, lineCounter: lines });
    const locate = (violations: readonly Violation[]) =>
      violations
        .slice(0, MAX_VIOLATIONS)
        .map((violation) => ({ ...at(offsetOf(document, violation.pointer)), ...violation }))
        .sort((a, b) => a.line - b.line || a.column - b.column);
    const faults = [...document.errors, ...document.warnings].map(describe);
    const mistakes = [...faults, ...oldVersion(document, text), ...misread(document)]
      .sort((a, b) => a.offset - b.offset)
      .slice(0, MAX_VIOLATIONS)
      .map(({ offset, message }) => ({ ...at(offset), pointer: '', message }));
    if (mistakes.length > 0) return { value: undefined, mistakes, locate };
    return { value: document.toJS(), mistakes: locate(oddAmounts(document)), locate };
  } catch (error) {
    // Too many aliases.
    const message = `cannot be read: ${(error as Error).message}`;
    const mistakes = [{ line: 1, column: 1, pointer: '', message }];
    return { value: undefined, mistakes, locate: () => [] };
  }
}

const OPTIONS = {
  prettyErrors: false,
  // A set or a date has no members, so that nothing in it would be checked.
  resolveKnownTags: false,
  // Theirs takes quadratic time.
  uniqueKeys: false,
  logLevel: 'error',
} as const;

interface Fault {
  readonly offset: number;
  readonly message: string;
}

function describe({ code, message, pos: [offset] }: YAMLError): Fault {
  if (code === 'MULTIPLE_DOCS')
    return { offset, message: 'holds a second document; write several profiles as `profiles`' };
  return { offset, message: `is not valid YAML or JSON: ${message}` };
}

/** YAML 1.1 has other booleans and numbers, and members that merge others in. */
function oldVersion({ directives }: Document, text: string): Fault[] {
  if (directives?.yaml.version === '1.2') return [];
  const message = 'asks for YAML 1.1, and is read as YAML 1.2; remove that line';
  return [{ offset: text.search(/^%YAML[ \t]+1\.1/m), message }];
}

/** Where the member stands that a pointer names, or the last one on the way to it. */
function offsetOf(document: Document, pointer: string): number {
  let node: unknown = document.contents;
  let offset = (node as Node | null)?.range?.[0] ?? 0;
  for (const token of pointer.split('/').slice(1)) {
    if (isAlias(node)) node = node.resolve(document);
    const [place, next] = memberOf(node, token);
    if (place === undefined) break;
    offset = (place as Node).range?.[0] ?? offset;
    node = next;
  }
  return offset;
}

/** The key of a member or the item itself, and its value. */
function memberOf(node: unknown, token: string): [place?: unknown, value?: unknown] {
  if (isSeq(node)) return [node.items[Number(token)], node.items[Number(token)]];
  if (!isMap(node)) return [];
  const pair = node.items.find(({ key }) => pointerToken(String(key)) === token);
  return [pair?.key, pair?.value];
}

/** Finding what an alias stands for takes as long as the text before it. */
const MAX_ALIASES = 200;

/** What the syntax allows, though nobody means it. */
function misread(document: Document): Fault[] {
  const anchors = new Set<string>();
  let aliases = 0;
  const faults: Fault[] = [];
  const note = (node: unknown, message: string) =>
    faults.push({ offset: (node as Node | null)?.range?.[0] ?? 0, message });
  visit(document, {
    Node: (_key, node) => {
      if (!isAlias(node)) {
        if (node.anchor) anchors.add(node.anchor);
        if (isMap(node)) noteNames(node, note);
        return undefined;
      }
      aliases += 1;
      if (aliases > MAX_ALIASES) note(node, `has more than ${MAX_ALIASES} aliases`);
      else if (anchors.has(node.source)) return undefined;
      // At the start of a text without quotes, `*` makes an alias.
      else
        note(
          node,
          `has \`*${node.source}\`, which stands for nothing; put text that begins with \`*\` in quotes`,
        );
      return visit.BREAK;
    },
  });
  return faults;
}

/** `1` and `"1"` are one name. */
function noteNames({ items }: YAMLMap, note: (node: unknown, message: string) => void): void {
  const names = new Set<string>();
  for (const { key } of items) {
    if (!isScalar(key)) note(key, 'names a member by something else than text');
    else if (names.has(String(key.value)))
      note(key, 'names a member a second time; keep one of them');
    else names.add(String(key.value));
  }
}

/** Amounts that read as another one than their digits say: `1e3`, `010`, `0x10`. */
function oddAmounts(document: Document): Violation[] {
  const odd: Violation[] = [];
  visit(document, {
    Scalar: (_key, { value, source }, path) => {
      // Of larger ones the schema says what is allowed.
      if (!Number.isSafeInteger(value) || String(value) === source) return;
      if (!keyIn(path.at(-1), undefined)[0]?.endsWith('_units')) return;
      const keys = path.flatMap((each, depth) => keyIn(each, path[depth + 1]));
      const pointer = keys.map((key) => `/${pointerToken(key)}`).join('');
      odd.push({ pointer, message: `must be a whole number in plain digits, such as ${value}` });
    },
  });
  return odd;
}

function keyIn(parent: unknown, child: unknown): string[] {
  if (isSeq(parent)) return [String(parent.items.indexOf(child))];
  if (typeof parent !== 'object' || parent === null || !('key' in parent)) return [];
  return isScalar(parent.key) ? [String(parent.key.value)] : [];
}
