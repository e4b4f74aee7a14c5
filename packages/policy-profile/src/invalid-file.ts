import type { Violation } from '@gatehouse/contracts';

/** A violation, and where in the file it is; both count from 1. */
export interface Mistake extends Violation {
  readonly line: number;
  readonly column: number;
}

/**
 * A file in YAML or JSON, of profiles or of checks, that is not as it must be. The message
 * has a line for each mistake: `file:line:column: pointer message`.
 */
export class InvalidFile extends Error {
  override readonly name = 'InvalidFile';
  /** In the order of the file; none if it cannot be read. */
  readonly mistakes: readonly Mistake[];

  constructor(file: string, mistakes: readonly Mistake[] | string) {
    super(
      typeof mistakes === 'string'
        ? `${file}: ${mistakes}`
        : mistakes.map((mistake) => `${file}:${lineOf(mistake)}`).join('\n'),
    );
    this.mistakes = typeof mistakes === 'string' ? [] : mistakes;
  }
}

function lineOf({ line, column, pointer, message }: Mistake): string {
  return printable(`${line}:${column}: ${pointer === '' ? 'the file' : pointer} ${message}`);
}

/** Escapes characters that move a terminal's cursor, or hide or reorder text. */
export function printable(text: string): string {
  const code = (char: string) => `\\u{${char.codePointAt(0)?.toString(16)}}`;
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, code);
}
