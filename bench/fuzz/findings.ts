/** Something that may not happen, and what to make it happen again with. */
export interface FuzzFinding {
  readonly kind: 'crash' | 'status 500' | 'stall' | 'violation';
  readonly what: string;
  /** Of the inputs that were under way. */
  readonly inputs: readonly { readonly index: number; readonly input: Buffer | string }[];
}

const SHOWN_PER_KIND = Number(process.env.SHOWN ?? 20);
const SHOWN_CHARS = 1_500;
const SHOWN_INPUTS = 64;

/** Counts findings, and prints the first of each sort with what repeats them. */
export class Findings {
  readonly counts: Record<FuzzFinding['kind'], number> = {
    crash: 0,
    'status 500': 0,
    stall: 0,
    violation: 0,
  };
  readonly #sorts = new Map<string, number>();
  readonly #repeat: (indexes: readonly number[]) => string;

  /** `repeat` is the command that sends these inputs again. */
  constructor(repeat: (indexes: readonly number[]) => string) {
    this.#repeat = repeat;
  }

  /** How often each sort of finding was made. */
  get sorts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#sorts);
  }

  add({ kind, what, inputs }: FuzzFinding): void {
    this.counts[kind] += 1;
    // What follows the first colon is particular to the input.
    const sort = `${kind}: ${what.split(':')[0]?.replace(/\d+/g, 'n')}`;
    const times = (this.#sorts.get(sort) ?? 0) + 1;
    this.#sorts.set(sort, times);
    if (times > SHOWN_PER_KIND) return;
    console.error(
      `\n${kind}: ${what}\n  again: ${this.#repeat(inputs.slice(0, SHOWN_INPUTS).map(({ index }) => index))}`,
    );
    const [only] = inputs;
    if (inputs.length === 1 && only !== undefined)
      console.error(`  input: ${printable(only.input)}`);
  }
}

function printable(input: Buffer | string): string {
  const text = JSON.stringify(typeof input === 'string' ? input : input.toString('latin1'));
  return text.length > SHOWN_CHARS
    ? `${text.slice(0, SHOWN_CHARS)}… (${text.length} characters)`
    : text;
}
