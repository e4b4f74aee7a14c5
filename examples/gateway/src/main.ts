import closeWithGrace from 'close-with-grace';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

try {
  const config = readConfig(process.env);
  const app = buildApp(config);
  closeWithGrace({ delay: 10_000, logger: app.log }, async ({ err }) => {
    if (err !== undefined) app.log.fatal({ err }, 'uncaught error');
    await app.close();
  });
  await app.listen(config.bind);
} catch (error) {
  process.stderr.write(`The gateway cannot start:\n${(error as Error).message}\n`);
  process.exitCode = 1;
}
