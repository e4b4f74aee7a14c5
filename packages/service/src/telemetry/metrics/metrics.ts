import { Counter, Family, Histogram, type Labels, type Series } from './instruments.ts';

export interface MetricDefinition {
  /** With dots; Prometheus sees underscores, the unit, and `_total` for counters. */
  readonly name: string;
  /** UCUM: `s`, `By`; what is counted, in braces. */
  readonly unit: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export type Observation = readonly [labels: Labels, value: number];

/** A metric, and how to read its present state. */
export type Metric = MetricDefinition &
  (
    | { readonly kind: 'counter' | 'gauge'; readonly read: () => Iterable<Observation> }
    | { readonly kind: 'histogram'; readonly read: () => Iterable<Series<Histogram>> }
  );

/** In seconds: from a policy check to the total time of an execution. */
const DURATION_BOUNDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** The metrics of one service, with instruments of our own (docs/decisions/0018). */
export class Metrics {
  readonly all: Metric[] = [];

  counter(definition: MetricDefinition): Family<Counter> {
    const family = new Family(definition.labels ?? [], () => new Counter());
    this.all.push({ ...definition, kind: 'counter', read: () => valuesOf(family) });
    return family;
  }

  /** A distribution of durations in seconds. */
  durations(definition: Omit<MetricDefinition, 'unit'>): Family<Histogram> {
    const family = new Family(definition.labels ?? [], () => new Histogram(DURATION_BOUNDS));
    this.all.push({ ...definition, unit: 's', kind: 'histogram', read: () => family.series() });
    return family;
  }

  /** A number that is read when the metrics are. */
  gauge(definition: MetricDefinition, read: () => number): void {
    this.readOnExport('gauge', definition, () => [[{}, read()]]);
  }

  readOnExport(
    kind: 'counter' | 'gauge',
    definition: MetricDefinition,
    read: () => Iterable<Observation>,
  ): void {
    this.all.push({ ...definition, kind, read });
  }
}

function* valuesOf(family: Family<Counter>): Generator<Observation> {
  for (const { labels, instrument } of family.series()) yield [labels, instrument.value];
}
