import type { Finding } from './examine.ts';

const COLUMNS: [title: string, width: number, cell: (finding: Finding) => string][] = [
  ['#', -10, ({ finding = '' }) => finding],
  ['attack', -56, ({ attack }) => attack],
  ['alive', -5, ({ survived }) => (survived ? 'yes' : 'NO')],
  ['held up', 9, ({ heldMs }) => `${Math.round(heldMs)} ms`],
  ['healthz', 9, ({ wallMs }) => `${Math.round(wallMs)} ms`],
  ['idle', 6, ({ idleMs }) => `${Math.round(idleMs)} ms`],
  ['grew by', 9, ({ growthMib }) => `${Math.round(growthMib)} MiB`],
  ['answer', 10, ({ answerBytes }) => size(answerBytes)],
  ['outcome', -1, ({ outcome }) => outcome],
];

function size(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

const pad = (text: string, width: number) =>
  width < 0 ? text.padEnd(-width) : text.padStart(width);

export function printHeading(): void {
  if (process.stdout.isTTY)
    console.log(COLUMNS.map(([title, width]) => pad(title, width)).join(' '));
}

/** A line of a table on a terminal, a line of JSON on a pipe. */
export function printFinding(finding: Finding): void {
  if (!process.stdout.isTTY) {
    console.log(JSON.stringify(finding));
    return;
  }
  console.log(COLUMNS.map(([, width, cell]) => pad(cell(finding), width)).join(' '));
  for (const rule of finding.broken) console.log(`${' '.repeat(11)}broken: ${rule}`);
}
