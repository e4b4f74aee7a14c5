import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICE_PATHS } from '@gatehouse/contracts';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

describe('the example gateway’s Dockerfile', () => {
  it('starts an existing file', () => {
    const main = 'examples/gateway/src/main.ts';
    expect(read('examples/demo/Dockerfile')).toContain(`CMD ["node", "${main}"]`);
    expect(globSync(main, { cwd: ROOT })).toHaveLength(1);
  });
});

describe('the Swarm stack', () => {
  const stack = read('deploy/swarm/stack.yml');
  const proxy = read('deploy/swarm/haproxy.cfg');

  it('checks readiness on the path of the services', () => {
    expect(proxy).toContain(`option httpchk GET ${SERVICE_PATHS.ready}\n`);
  });

  it('gives a replica time to drain before it is killed', () => {
    const milliseconds = (name: string) => Number(new RegExp(`${name}: "(\\d+)"`).exec(stack)?.[1]);
    const needed = milliseconds('SHUTDOWN_DELAY_MS') + milliseconds('SHUTDOWN_GRACE_MS');
    expect(Number(/stop_grace_period: (\d+)s/.exec(stack)?.[1]) * 1_000).toBeGreaterThan(needed);
  });
});
