import { createServer, readServiceSettings, requestLogger, runService } from '../../src/index.ts';

/**
 * Service for tests of uncaught errors. Most routes write 200 log lines and then fail outside the
 * request handler.
 */
await runService({
  name: 'mishaps',
  version: '1.2.3',
  readConfig: ({ GRACE_MS: SHUTDOWN_GRACE_MS }) => {
    const env = { SHUTDOWN_GRACE_MS, MAX_EVENT_LOOP_DELAY_MS: '600000' };
    const { config } = readServiceSettings('MISHAPS', {}, env);
    return { ...config, bind: { host: '127.0.0.1', port: 0 } };
  },
  build: async ({ load }, logger, telemetry) => {
    const app = await createServer({ logger, load, telemetry, maxRequestBytes: 1_000 });
    const mishaps: Record<string, () => void> = {
      '/throw': () => {
        throw new Error('thrown in a timer');
      },
      '/reject': () => void Promise.reject(new Error('rejected by nobody')),
      '/reject-nothing': () => void Promise.reject(),
      '/fine': () => {},
    };
    for (const [path, mishap] of Object.entries(mishaps)) {
      app.get(path, (request, reply) => {
        setImmediate(() => {
          for (let line = 1; line <= 200; line++)
            requestLogger(request).info({ line }, 'written just before');
          mishap();
        });
        reply.send({});
      });
    }
    app.get('/hang', () => new Promise(() => {}));
    return app;
  },
});
