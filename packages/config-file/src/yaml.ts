import { pointerToken } from '@gatehouse/contracts';
import type { Checked } from '@gatehouse/contracts/validation';
import {
  type Document,
  isAlias,
  isMap,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { InvalidFile } from './invalid-file.ts';

/** Checks a parsed value. `lineOf` returns the line of the member at a JSON Pointer. */
type Check<T> = (value: unknown, lineOf: (pointer: string) => number) => Checked<T>;

/**
 * Parses YAML 1.2, which includes JSON, and checks the value. Error messages begin with `file`.
 * @throws {InvalidFile} with a list of up to 20 errors
 */
export function parseYaml<T>(text: string, file: string, check: Check<T>): T {
  const lines = new LineCounter();
  const mistakeAt = ({ offset, pointer = '', message }: Fault) => {
    const { line, col } = lines.linePos(offset);
    return { line: line || 1, column: col || 1, pointer, message };
  };
  const { document, value, faults } = readYaml(text, file, lines);
  if (faults.length > 0) throw new InvalidFile(file, faults.map(mistakeAt));

  const lineOf = (pointer: string) => lines.linePos(offsetOfPointer(document, pointer)).line || 1;
  const checked = check(value, lineOf);
  if (checked.ok) return checked.value;

  const found = checked.violations.map((violation) => ({
    ...violation,
    offset: offsetOfPointer(document, violation.pointer),
  }));
  throw new InvalidFile(file, found.map(mistakeAt));
}

/** @throws InvalidFile if the text has an unknown alias, too many aliases or too much nesting */
function readYaml(text: string, file: string, lineCounter: LineCounter) {
  try {
    // Tags such as `!!set` would create `Set` objects, whose contents the schema would not check.
    const options = { prettyErrors: false, resolveKnownTags: false, lineCounter };
    const document = parseDocument(text, options);
    const value = document.errors.length > 0 ? undefined : document.toJS();
    const errors = [...rootErrors(document), ...document.warnings].map(describeError);
    return { document, value, faults: [...errors, ...findOddNumbers(document)] };
  } catch (error) {
    throw new InvalidFile(file, `is not valid YAML or JSON: ${(error as Error).message}`);
  }
}

/** Error, with its character offset in the text. */
interface Fault {
  readonly offset: number;
  readonly pointer?: string;
  readonly message: string;
}

/** Errors without those that only follow from tabs, because one tab makes many lines unreadable. */
function rootErrors({ errors }: Document): YAMLError[] {
  const tabs = errors.filter(({ code }) => code === 'TAB_AS_INDENT');
  return tabs.length > 0 ? tabs : errors;
}

function describeError({ code, message, pos: [offset] }: YAMLError): Fault {
  if (code === 'MULTIPLE_DOCS')
    return { offset, message: 'contains a second YAML document; write everything in one document' };
  return { offset, message: `is not valid YAML or JSON: ${message}` };
}

/** Finds numbers written like `010` or `1e2`, and numbers with too many digits for a double. */
function findOddNumbers(document: Document): Fault[] {
  const found: Fault[] = [];
  visit(document, {
    Scalar: (_key, { value, source = '', range }) => {
      const shown = source.slice(0, 20);
      const isPlain = shown === source && /^-?\d+(?:\.\d+)?$/.test(source);
      const digits = source.includes('.') ? shown.replace(/\.?0+$/, '') : source;
      if (typeof value !== 'number' || (isPlain && String(value) === digits)) return;
      const message = `has the number \`${shown}\`; write it in plain decimal notation with no more digits than a double can represent`;
      found.push({ offset: range?.[0] ?? 0, message });
    },
  });
  return found;
}

/** Returns the offset of the member at a pointer, or of its closest ancestor that exists. */
function offsetOfPointer(document: Document, pointer: string): number {
  let node: unknown = document.contents;
  let offset = (node as Node | null)?.range?.[0] ?? 0;
  for (const token of pointer.split('/').slice(1)) {
    if (isAlias(node)) node = node.resolve(document);
    const [start, next] = findMember(node, token);
    if (start === undefined) break;
    offset = (start as Node).range?.[0] ?? offset;
    node = next;
  }
  return offset;
}

function findMember(node: unknown, token: string): [start?: unknown, value?: unknown] {
  if (isSeq(node)) return [node.items[Number(token)], node.items[Number(token)]];
  if (!isMap(node)) return [];
  const pair = node.items.find(({ key }) => pointerToken(String(key)) === token);
  return [pair?.key, pair?.value];
}
