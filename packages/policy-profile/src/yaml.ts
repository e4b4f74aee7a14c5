import { MAX_VIOLATIONS, pointerToken, type Violation } from '@gatehouse/contracts';
import type { Checked } from '@gatehouse/validation';
import {
  type Document,
  isAlias,
  isMap,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLError,
} from 'yaml';

/** A violation, and where in the file it is; both count from 1. */
export interface Mistake extends Violation {
  readonly line: number;
  readonly column: number;
}

/**
 * A YAML or JSON file with mistakes. The message has a line for each of the first 20:
 * `file:line:column: pointer message`.
 */
export class InvalidFile extends Error {
  override readonly name = 'InvalidFile';
  /** In the order of the file; none if it cannot be read. */
  readonly mistakes: readonly Mistake[];

  constructor(file: string, mistakes: readonly Mistake[] | string) {
    const listed = typeof mistakes === 'string' ? [] : sorted(mistakes);
    const lines = listed.map((mistake) => `${file}:${lineOf(mistake)}`);
    super(typeof mistakes === 'string' ? `${file}: ${mistakes}` : lines.join('\n'));
    this.mistakes = listed;
  }
}

const sorted = (mistakes: readonly Mistake[]) =>
  mistakes.slice(0, MAX_VIOLATIONS).sort((a, b) => a.line - b.line || a.column - b.column);

function lineOf({ line, column, pointer, message }: Mistake): string {
  return printable(`${line}:${column}: ${pointer === '' ? 'the file' : pointer} ${message}`);
}

/** Escapes characters that move a terminal's cursor, or hide or reorder text. */
export function printable(text: string): string {
  const code = (char: string) => `\\u{${char.codePointAt(0)?.toString(16)}}`;
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, code);
}

const OPTIONS = {
  prettyErrors: false,
  // A set or a date has no members, so that nothing in it would be checked.
  resolveKnownTags: false,
} as const;

/**
 * Reads a text in YAML 1.2 or JSON (which is YAML, too) and gives its value if that passes
 * `check`. Messages name it `file`.
 * @throws InvalidFile that lists every mistake
 */
export function parseYaml<T>(text: string, file: string, check: (value: unknown) => Checked<T>): T {
  const lines = new LineCounter();
  const mistakeAt = (offset: number, violation: Violation) => {
    const { line, col } = lines.linePos(offset);
    return { line: line || 1, column: col || 1, ...violation };
  };
  const { document, value } = read(text, file, lines);
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    const mistakes = faults.map((fault) => mistakeAt(fault.pos[0], describe(fault)));
    throw new InvalidFile(file, mistakes);
  }
  const checked = check(value);
  if (checked.ok) return checked.value;
  const mistakes = checked.violations.map((each) =>
    mistakeAt(offsetOf(document, each.pointer), each),
  );
  throw new InvalidFile(file, mistakes);
}

/** Fails for an alias of nothing, too many aliases, and lists nested thousands of levels deep. */
function read(text: string, file: string, lineCounter: LineCounter) {
  try {
    const document = parseDocument(text, { ...OPTIONS, lineCounter });
    return { document, value: document.errors.length > 0 ? undefined : document.toJS() };
  } catch (error) {
    throw new InvalidFile(file, `is not valid YAML or JSON: ${(error as Error).message}`);
  }
}

function describe({ code, message }: YAMLError): Violation {
  if (code === 'MULTIPLE_DOCS')
    return {
      pointer: '',
      message: 'holds a second document; write several profiles as `profiles`',
    };
  return { pointer: '', message: `is not valid YAML or JSON: ${message}` };
}

/** The offset of the member that a pointer names, or of the last one on the way to it. */
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
