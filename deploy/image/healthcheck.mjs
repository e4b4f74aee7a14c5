// Usage: healthcheck.mjs PREFIX, where PREFIX is the prefix of the service's settings. Exits 0 if the service in this
// container answers `GET /healthz`. It runs every few seconds, so it avoids TypeScript and imports in order to start
// fast.

const TIMEOUT_MS = 2_500;

const [prefix] = process.argv.slice(2);
const [, host, port] = /^\[?(.+?)\]?:(\d+)$/.exec(process.env[`${prefix}_BIND_ADDR`] ?? '') ?? [];
const secure = (process.env[`${prefix}_TLS_CERT_FILE`] ?? '') !== '';
const { get } = await import(secure ? 'node:https' : 'node:http');

// The certificate is for a different name, so it is not verified. A service that requires client certificates answers
// with a TLS alert, which also proves that the service is running.
const request = get({
  host,
  port,
  path: '/healthz',
  timeout: TIMEOUT_MS,
  rejectUnauthorized: false,
  agent: false,
});
request.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
request.on('timeout', () => process.exit(1));
request.on('error', ({ code }) => process.exit(secure && code?.startsWith('ERR_SSL_') ? 0 : 1));
