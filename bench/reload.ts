import { reloadUnderLoad } from './reload/reload-under-load.ts';
import { isOnPath, pinLoad } from './support/cores.ts';

/** The policy service under load while its profile changes every 100 ms: `SECONDS`. */
if (!isOnPath('wrk')) {
  console.error('This needs wrk on the PATH; `apt-get install wrk`.');
  process.exit(1);
}
pinLoad();
const { broken, ...figures } = await reloadUnderLoad(Number(process.env.SECONDS ?? 30));
console.log(process.stdout.isTTY ? figures : JSON.stringify(figures));
for (const rule of broken) console.error(`broken: ${rule}`);
if (broken.length > 0) process.exitCode = 1;
