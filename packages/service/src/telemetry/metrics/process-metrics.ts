import type { EventLoopDelay } from '../../server/event-loop.ts';
import type { Telemetry } from '../telemetry.ts';

const US_PER_S = 1e6;
const MS_PER_S = 1e3;

/** What the process costs, under the names that Prometheus and OpenTelemetry use. */
export function measureProcess({ metrics, version }: Telemetry, loop: EventLoopDelay): void {
  const gauge = (name: string, unit: string, help: string, read: () => number) =>
    metrics.gauge({ name, unit, help }, read);
  const startedAt = Date.now() / MS_PER_S - process.uptime();
  const started = 'When the process started, in seconds since 1970.';
  gauge('process.start_time', 's', started, () => startedAt);
  const build = { version, node: process.versions.node };
  metrics.readOnExport(
    'gauge',
    { name: 'gatehouse.build_info', unit: '', help: 'Always 1; its labels say what runs.' },
    () => [[build, 1]],
  );
  metrics.readOnExport(
    'counter',
    { name: 'process.cpu', unit: 's', help: 'CPU time used.' },
    () => {
      const { user, system } = process.cpuUsage();
      return Object.entries({ user, system }).map(([mode, us]) => [{ mode }, us / US_PER_S]);
    },
  );
  gauge('process.resident_memory', 'By', 'Resident memory.', () => process.memoryUsage.rss());
  const heapUsed = () => process.memoryUsage().heapUsed;
  gauge('nodejs.heap_used', 'By', 'JavaScript heap in use.', heapUsed);
  const late = 'How late the event loop was since the last reading, at least 5 s earlier.';
  for (const figure of ['p50', 'p99', 'max'] as const) {
    const read = () => loop.read()[figure] / MS_PER_S;
    gauge(`nodejs.eventloop.delay.${figure}`, 's', `${late} (${figure})`, read);
  }
}
