import type { EventLoopDelay } from '../../server/event-loop.ts';
import type { Telemetry } from '../telemetry.ts';
import type { Metrics } from './metrics.ts';

const US_PER_S = 1e6;

/** What the process costs, under the names that Prometheus and OpenTelemetry use. */
export function measureProcess({ metrics, version }: Telemetry, loop: EventLoopDelay): void {
  const { node } = process.versions;
  const startedAt = Date.now() / 1_000 - process.uptime();
  const build = { version, node };
  gauge(
    metrics,
    'process.start_time',
    's',
    'When the process started, in seconds since 1970.',
    () => startedAt,
  );
  metrics.observed(
    'gauge',
    { name: 'gatehouse.build_info', unit: '', help: 'Always 1; its labels say what runs.' },
    () => [[build, 1]],
  );
  metrics.observed(
    'counter',
    { name: 'process.cpu', unit: 's', help: 'CPU time used.', labels: ['mode'] },
    () => {
      const { user, system } = process.cpuUsage();
      return [
        [{ mode: 'user' }, user / US_PER_S],
        [{ mode: 'system' }, system / US_PER_S],
      ];
    },
  );
  gauge(metrics, 'process.resident_memory', 'By', 'Resident memory.', () =>
    process.memoryUsage.rss(),
  );
  gauge(
    metrics,
    'nodejs.heap_used',
    'By',
    'JavaScript heap in use.',
    () => process.memoryUsage().heapUsed,
  );
  const help = 'How late the event loop was since the last reading, at least 5 s earlier.';
  for (const figure of ['p50', 'p99', 'max'] as const) {
    const read = () => loop.read()[figure] / 1_000;
    gauge(metrics, `nodejs.eventloop.delay.${figure}`, 's', `${help} (${figure})`, read);
  }
}

function gauge(
  metrics: Metrics,
  name: string,
  unit: string,
  help: string,
  read: () => number,
): void {
  metrics.observed('gauge', { name, unit, help }, () => [[{}, read()]]);
}
