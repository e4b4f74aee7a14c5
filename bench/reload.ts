import { reloadUnderLoad } from './reload/reload-under-load.ts';
import { isOnPath, pinLoad } from './support/cores.ts';
import { printVerdict } from './support/figures.ts';

/** The policy service under load while its profile changes every second: `SECONDS`. */
if (!isOnPath('wrk')) {
  console.error('This needs wrk on the PATH; `apt-get install wrk`.');
  process.exit(1);
}
pinLoad();
const { broken, ...figures } = await reloadUnderLoad(Number(process.env.SECONDS ?? 30));
printVerdict(figures, broken);
