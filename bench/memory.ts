import { LOAD_CORE, pinLoad } from './support/cores.ts';
import { print } from './support/figures.ts';
import { LOADED_BY, load, type Target } from './support/load.ts';
import { residentMib } from './support/process-figures.ts';
import { CREDENTIAL, TYPICAL_CHECK } from './support/requests.ts';
import { type ServiceName, startService } from './support/subject.ts';
import { startUpstream } from './support/upstream.ts';

// Measures each service's resident memory under full load for `MINUTES` minutes (default: 10).
const SECONDS = Math.round(Number(process.env.MINUTES ?? 10) * 60);
const EVERY_S = 30;
const CONNECTIONS = 32;
const AIM_MIB = 200;

pinLoad();
await using upstream = await startUpstream(LOAD_CORE);
const action = { method: 'GET', url: `${upstream.url}/order`, headers: CREDENTIAL };

async function watch(service: ServiceName, path: string, body: object): Promise<void> {
  await using subject = await startService(service);
  const target: Target = { url: `${subject.url}${path}`, body: JSON.stringify(body) };
  const began = performance.now();
  let max_mib = residentMib(subject.pid);
  const sample = () => {
    const resident_mib = residentMib(subject.pid);
    max_mib = Math.max(max_mib, resident_mib);
    print({ service, seconds: Math.round((performance.now() - began) / 1_000), resident_mib });
  };
  sample();
  const timer = setInterval(sample, EVERY_S * 1_000);
  const { answered, seconds } = await load(target, { connections: CONNECTIONS, seconds: SECONDS });
  clearInterval(timer);
  sample();
  const per_second = Math.round(answered / seconds);
  print({ service, max_mib, per_second, load: LOADED_BY, upstream: upstream.program });
  if (max_mib < AIM_MIB) return;
  console.error(`WARNING: the ${service} used ${max_mib} MiB; it should stay below ${AIM_MIB}.`);
  process.exitCode = 1;
}

await watch('policy', '/policy/check', TYPICAL_CHECK);
await watch('executor', '/execute', action);
