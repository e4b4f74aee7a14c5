export class Counter {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }
}

/** How many values lie at or below each bound, and their sum. */
export class Histogram {
  readonly bounds: readonly number[];
  /** One more than there are bounds, for values above all of them. */
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

/** Undefined: the label is left out. */
type LabelValue = string | number | undefined;

export interface Series<I> {
  readonly labels: Labels;
  readonly instrument: I;
}

/** Limit of each metric. Label values are bounded by their origin; this is a second guard. */
const MAX_SERIES = 2_000;

/** Holds what is above the limit, as OpenTelemetry specifies. */
const OVERFLOW: Labels = { 'otel.metric.overflow': true };

/** The tree of series: one level for each label. */
interface Branch<I> {
  readonly next: Map<LabelValue, Branch<I>>;
  instrument?: I;
}

const newBranch = <I>(): Branch<I> => ({ next: new Map() });

/** The series of one metric, by their label values in the order of the label names. */
export class Family<I> {
  readonly #names: readonly string[];
  readonly #create: () => I;
  readonly #root = newBranch<I>();
  readonly #series: Series<I>[] = [];
  #overflow: Series<I> | undefined;

  constructor(names: readonly string[], create: () => I) {
    this.#names = names;
    this.#create = create;
  }

  /** Costs a lookup for each label: bind what every request records beforehand. */
  with(...values: readonly LabelValue[]): I {
    return this.find(...values) ?? this.#add(values);
  }

  find(...values: readonly LabelValue[]): I | undefined {
    let branch: Branch<I> | undefined = this.#root;
    for (const value of values) branch = branch?.next.get(value);
    return branch?.instrument;
  }

  *series(): Generator<Series<I>> {
    yield* this.#series;
    if (this.#overflow !== undefined) yield this.#overflow;
  }

  #add(values: readonly LabelValue[]): I {
    if (this.#series.length >= MAX_SERIES) {
      this.#overflow ??= { labels: OVERFLOW, instrument: this.#create() };
      return this.#overflow.instrument;
    }
    const labels: Record<string, string> = {};
    let branch = this.#root;
    for (const [at, name] of this.#names.entries()) {
      const value = values[at];
      if (value !== undefined) labels[name] = String(value);
      const next = branch.next.get(value) ?? newBranch<I>();
      branch.next.set(value, next);
      branch = next;
    }
    branch.instrument = this.#create();
    this.#series.push({ labels, instrument: branch.instrument });
    return branch.instrument;
  }
}
