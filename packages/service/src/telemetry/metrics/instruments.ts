/** One number that only grows. */
export class Counter {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }
}

/** How many values lie at or below each bound, and their sum. */
export class Histogram {
  readonly bounds: readonly number[];
  /** One more than there are bounds: the last is for what lies above all of them. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    counts[bucket] = (counts[bucket] as number) + 1;
    this.sum += value;
  }
}

export type Labels = Readonly<Record<string, string | boolean>>;

export interface Series<I> {
  readonly labels: Labels;
  readonly instrument: I;
}

/**
 * A metric has at most this many series; label values are bounded by their origin, so
 * this is for what was overlooked.
 */
const MAX_SERIES = 2_000;

/** As OpenTelemetry has it: everything above the limit is counted together. */
const OVERFLOW: Labels = { 'otel.metric.overflow': true };

/** Where label values lead, one after the other. */
interface Branch<I> {
  readonly next: Map<string | undefined, Branch<I>>;
  instrument?: I;
}

/**
 * The series of one metric. `with` costs a lookup for each label, so that what is
 * recorded on the way of every request is bound to its instrument beforehand; recording
 * itself allocates nothing.
 */
export class Family<I> {
  readonly #names: readonly string[];
  readonly #create: () => I;
  readonly #root: Branch<I> = { next: new Map() };
  readonly #series: Series<I>[] = [];
  #overflow: Series<I> | undefined;

  constructor(names: readonly string[], create: () => I) {
    this.#names = names;
    this.#create = create;
  }

  /**
   * The instrument for these label values, in the order of the names; a label without a
   * value is left out.
   */
  with(...values: readonly (string | undefined)[]): I {
    let branch: Branch<I> | undefined = this.#root;
    for (const value of values) branch = branch?.next.get(value);
    return branch?.instrument ?? this.#add(values);
  }

  *series(): Generator<Series<I>> {
    yield* this.#series;
    if (this.#overflow !== undefined) yield this.#overflow;
  }

  #add(values: readonly (string | undefined)[]): I {
    if (this.#series.length >= MAX_SERIES) {
      this.#overflow ??= { labels: OVERFLOW, instrument: this.#create() };
      return this.#overflow.instrument;
    }
    const instrument = this.#create();
    const named = this.#names.map((name, index) => [name, values[index]] as const);
    const labels = Object.fromEntries(
      named.filter((pair): pair is [string, string] => pair[1] !== undefined),
    );
    this.#series.push({ labels, instrument });
    let branch = this.#root;
    for (const value of values) {
      const next: Branch<I> = branch.next.get(value) ?? { next: new Map() };
      branch.next.set(value, next);
      branch = next;
    }
    branch.instrument = instrument;
    return instrument;
  }
}
