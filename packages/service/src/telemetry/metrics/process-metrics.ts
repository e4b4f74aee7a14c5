import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Telemetry } from '../telemetry.ts';
import type { Metrics } from './metrics.ts';

const DELAY_RESOLUTION_MS = 20;
/**
 * Several readers share the figures; none of them finds the window of another emptied a
 * moment ago.
 */
const DELAY_WINDOW_MS = 5_000;
const NS_PER_S = 1e9;
const US_PER_S = 1e6;

/**
 * What the process costs, under the names that Prometheus and OpenTelemetry have for it.
 * Returns what ends it.
 */
export function measureProcess({ metrics, version }: Telemetry): () => void {
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
  return measureEventLoop(metrics);
}

/** The figures of the event loop, as the semantic conventions for Node name them. */
const DELAYS: Readonly<
  Record<string, (delays: ReturnType<typeof monitorEventLoopDelay>) => number>
> = {
  p50: (delays) => delays.percentile(50),
  p99: (delays) => delays.percentile(99),
  max: (delays) => delays.max,
};

function measureEventLoop(metrics: Metrics): () => void {
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delays.enable();
  const seconds = new Map<string, number>();
  let readAt = Number.NEGATIVE_INFINITY;
  const refresh = () => {
    const now = performance.now();
    if (now - readAt < DELAY_WINDOW_MS) return;
    readAt = now;
    for (const [figure, read] of Object.entries(DELAYS))
      seconds.set(figure, lateness(read(delays)));
    delays.reset();
  };
  const help = `How late the event loop was since the last reading, at least ${DELAY_WINDOW_MS / 1_000} s earlier.`;
  for (const figure of Object.keys(DELAYS)) {
    gauge(metrics, `nodejs.eventloop.delay.${figure}`, 's', `${help} (${figure})`, () => {
      refresh();
      return seconds.get(figure) ?? 0;
    });
  }
  return () => delays.disable();
}

/**
 * Node reports the whole interval between two ticks of its timer, in nanoseconds; 0 when
 * there was none yet.
 */
function lateness(intervalNs: number): number {
  return Math.max(0, intervalNs / NS_PER_S - DELAY_RESOLUTION_MS / 1_000);
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
