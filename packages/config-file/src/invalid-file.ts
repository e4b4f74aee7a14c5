import { MAX_VIOLATIONS, printable, type Violation } from '@gatehouse/contracts';

/** Violation with its line and column, both counted from 1. */
interface Mistake extends Violation {
  readonly line: number;
  readonly column: number;
}

/** Error that lists the mistakes, one per line, as `file:line:column: pointer message`. */
export class InvalidFile extends Error {
  override readonly name = 'InvalidFile';
  /** Up to 20 mistakes in file order, or an empty list if the file cannot be read or decoded. */
  readonly mistakes: readonly Mistake[];

  constructor(file: string, mistakes: readonly Mistake[] | string) {
    const listed = typeof mistakes === 'string' ? [] : sorted(mistakes);
    const lines = listed.map((mistake) => `${file}:${describeMistake(mistake)}`);
    super(typeof mistakes === 'string' ? `${file}: ${mistakes}` : lines.join('\n'));
    this.mistakes = listed;
  }
}

const sorted = (mistakes: readonly Mistake[]) =>
  mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_VIOLATIONS);

function describeMistake({ line, column, pointer, message }: Mistake): string {
  return printable(`${line}:${column}: ${pointer === '' ? 'the file' : pointer} ${message}`);
}
