import { MAX_VIOLATIONS, pointerToken, type Violation } from '@gatehouse/contracts';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import type { Mistake } from './invalid-profile-file.ts';

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
    const faults = [...document.errors, ...document.warnings].slice(0, MAX_VIOLATIONS);
    const mistakes = faults.map((fault) => ({ ...at(fault.pos[0]), ...describe(fault) }));
    mistakes.push(
      ...[...oldVersion(document, text), ...strayAlias(document)].map((each) => ({
        ...at(each.offset),
        ...each.violation,
      })),
    );
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
  uniqueKeys: (a: ParsedNode, b: ParsedNode) => nameOf(a) === nameOf(b),
  logLevel: 'error',
} as const;

/** `1` and `"1"` are one name. */
const nameOf = (key: ParsedNode) => (isScalar(key) ? String(key.value) : key);

const FAULTS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'names a member a second time; keep one of them',
  MULTIPLE_DOCS: 'holds a second document; write several profiles as `profiles`',
};

function describe({ code, message }: YAMLError): Violation {
  return { pointer: '', message: FAULTS[code] ?? `is no YAML or JSON: ${message}` };
}

interface Found {
  readonly offset: number;
  readonly violation: Violation;
}

/** YAML 1.1 has other booleans and numbers, and members that merge others in. */
function oldVersion({ directives }: Document, text: string): Found[] {
  if (directives?.yaml.version === '1.2') return [];
  const message = 'asks for YAML 1.1, and is read as YAML 1.2; remove that line';
  return [{ offset: text.search(/^%YAML[ \t]+1\.1/m), violation: { pointer: '', message } }];
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

/** An alias of nothing, such as a `*` at the start of a text without quotes. */
function strayAlias(document: Document): Found[] {
  const anchors = new Set<string>();
  const stray: Found[] = [];
  visit(document, {
    Node: (_key, node) => {
      if (!isAlias(node)) return void (node.anchor && anchors.add(node.anchor));
      if (anchors.has(node.source)) return;
      const message = `has \`*${node.source}\`, which stands for nothing; put text that begins with \`*\` in quotes`;
      stray.push({ offset: node.range?.[0] ?? 0, violation: { pointer: '', message } });
      return visit.BREAK;
    },
  });
  return stray;
}

/** Amounts that read as another one than their digits say: `1e3`, `010`, `0x10`. */
function oddAmounts(document: Document): Violation[] {
  const odd: Violation[] = [];
  visit(document, {
    Scalar: (_key, { value, source }, path) => {
      // Of larger ones the schema says what is allowed.
      if (!Number.isSafeInteger(value) || String(value) === source) return;
      const keys = path.flatMap((each, depth) => keyIn(each, path[depth + 1]));
      const pointer = keys.map((key) => `/${pointerToken(key)}`).join('');
      if (!pointer.endsWith('_units')) return;
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
