import { Counter, Gauge, type Registry } from 'prom-client';
import type { EventLoopDelay } from '../../server/event-loop.ts';
import type { Telemetry } from '../telemetry.ts';

const US_PER_S = 1e6;
const MS_PER_S = 1e3;

/** Registers what the process costs, under Prometheus's and OpenTelemetry's names. */
export function measureProcess({ registry, version }: Telemetry, loop: EventLoopDelay): void {
  const startedAt = Date.now() / MS_PER_S - process.uptime();
  const gauge = gaugesOf(registry);
  gauge(
    'process_start_time_seconds',
    'When the process started, in seconds since 1970.',
    () => startedAt,
  );
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  gauge('nodejs_heap_used_bytes', 'JavaScript heap in use.', () => process.memoryUsage().heapUsed);
  const late = 'How late the event loop was since the last reading, at least 5 s earlier.';
  for (const figure of ['p50', 'p99', 'max'] as const)
    gauge(
      `nodejs_eventloop_delay_${figure}_seconds`,
      `${late} (${figure})`,
      () => loop.read()[figure] / MS_PER_S,
    );
  showBuild(registry, version);
  measureProcessor(registry);
}

/** Registers gauges that are read on each scrape. */
const gaugesOf = (registry: Registry) => (name: string, help: string, read: () => number) =>
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });

function showBuild(registry: Registry, version: string): void {
  new Gauge({
    name: 'gatehouse_build_info',
    help: 'Always 1; its labels say what runs.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1);
}

function measureProcessor(registry: Registry): void {
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time used.',
    labelNames: ['mode'],
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc({ mode: 'user' }, user / US_PER_S);
      this.inc({ mode: 'system' }, system / US_PER_S);
    },
  });
}
