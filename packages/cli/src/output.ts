import { stripVTControlCharacters, styleText } from 'node:util';
import type { Outcome } from '@gatehouse/contracts';
import Table from 'cli-table3';

/** Where a command writes. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly columns: number;
}

const COLOURS = { allow: 'green', require_approval: 'yellow', deny: 'red' } as const;

/** An outcome in its colour, where the terminal has colours. */
export function painted(outcome: Outcome | string): string {
  const colour = COLOURS[outcome as Outcome];
  return colour === undefined ? outcome : styleText(colour, outcome);
}

export const strong = (text: string): string => styleText('bold', text);

const NO_BORDERS = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '' },
  ...{ 'bottom-left': '', 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '' },
  ...{ right: '', 'right-mid': '', middle: ' ' },
};

/** Text for people, or one JSON document for programs. */
export class Output {
  readonly json: boolean;
  readonly #terminal: Terminal;

  constructor(terminal: Terminal, json: boolean) {
    this.#terminal = terminal;
    this.json = json;
  }

  /** Writes the document, or else the text. */
  write(document: unknown, text: () => string): void {
    const shown = this.json ? JSON.stringify(document, undefined, 2) : text();
    this.#terminal.out(`${shown.replace(/[^\S\n]+$/gm, '').replace(/\n+$/, '')}\n`);
  }

  /** Rows below a heading; the last column takes the width that is left. */
  table(head: readonly string[], rows: readonly (readonly string[])[]): string {
    const widthOf = (text: string) => stripVTControlCharacters(text).length;
    const widths = head.map(
      (title, column) =>
        Math.max(...[title, ...rows.map((row) => row[column] ?? '')].map(widthOf)) + 2,
    );
    const others = widths.slice(0, -1).reduce((sum, width) => sum + width + 1, 0);
    const last = Math.max(20, Math.min(widths.at(-1) ?? 0, this.#terminal.columns - others));
    const table = new Table({
      head: head.map(strong),
      colWidths: [...widths.slice(0, -1), last],
      wordWrap: true,
      chars: NO_BORDERS,
      style: { head: [], border: [], 'padding-left': 0 },
    });
    table.push(...rows.map((row) => [...row]));
    return table.toString();
  }
}
