// Ends with 0 when the service in this container answers `GET /healthz`. Usage: healthcheck.mjs PREFIX, that of its
// settings. Not TypeScript and without imports of ours: it runs every few seconds, and starts in half the time.

const TIMEOUT_MS = 2_500;

const [prefix] = process.argv.slice(2);
const [, host, port] = /^\[?(.+?)\]?:(\d+)$/.exec(process.env[`${prefix}_BIND_ADDR`] ?? '') ?? [];
const secure = (process.env[`${prefix}_TLS_CERT_FILE`] ?? '') !== '';
const { get } = await import(secure ? 'node:https' : 'node:http');

// Its certificate is for the name that callers use; and it may want one of ours, which it says by an alert.
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
