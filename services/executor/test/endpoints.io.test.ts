import { describe, expect, it } from 'vitest';
import { readProblem, startExecutor } from './support/executor.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

describe('/sandbox', () => {
  it('allows only GET', async () => {
    await using executor = await startExecutor();
    const response = await fetch(`${executor.url}/sandbox`, { method: 'POST' });
    expect(await readProblem(response)).toMatchObject({ status: 405, code: 'MethodNotAllowed' });
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });

  it('shows the defaults', async () => {
    await using executor = await startExecutor();
    const response = await fetch(`${executor.url}/sandbox`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({
      allowed_hosts: ['localhost', '127.0.0.1', '::1'],
      allowed_networks: [],
      methods: METHODS,
      retry: {
        methods: ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'],
        max_attempts: 3,
        base_delay_ms: 200,
        max_delay_ms: 2_000,
      },
      limits: expect.objectContaining({
        attempt_timeout_ms: 15_000,
        total_timeout_ms: 60_000,
        max_request_bytes: 1_048_576,
        max_response_bytes: 10_485_760,
        max_buffered_bytes: 50_331_648,
        max_redirects: 5,
      }),
    });
  });

  it('shows the settings, except for the redacted headers', async () => {
    await using executor = await startExecutor({
      HTTP_EXECUTOR_ALLOWED_HOSTS: '',
      HTTP_EXECUTOR_ALLOWED_NETWORKS: '10.0.0.0/8,fd00::/8',
      HTTP_EXECUTOR_REDACTED_HEADERS: 'x-internal',
      HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '1',
      HTTP_EXECUTOR_TOTAL_TIMEOUT_MS: '2',
      HTTP_EXECUTOR_MAX_REQUEST_BYTES: '3',
      HTTP_EXECUTOR_MAX_RESPONSE_BYTES: '4',
      HTTP_EXECUTOR_MAX_BUFFERED_BYTES: '1048576',
    });
    const text = await fetch(`${executor.url}/sandbox`).then((response) => response.text());
    expect(text).not.toContain('x-internal');
    expect(JSON.parse(text)).toMatchObject({
      allowed_hosts: [],
      allowed_networks: ['10.0.0.0/8', 'fd00::/8'],
      limits: {
        attempt_timeout_ms: 1,
        total_timeout_ms: 2,
        max_request_bytes: 3,
        max_response_bytes: 4,
        max_buffered_bytes: 1_048_576,
      },
    });
  });
});
