import type { LogFields, Summaries } from '@gatehouse/service';
import { RETRY_EVENT } from './execution-telemetry.ts';

export const summaries: Summaries = {
  execution: executionSummary,
  request: refusalSummary,
  [RETRY_EVENT]: retrySummary,
};

/** Returns the outcome of an execution, such as `GET api.example.com → 503 after 3 attempts`. */
function executionSummary({ upstream, error, attempts }: LogFields): string {
  const { method, host, status } = Object(upstream);
  const isStatus = error === 'HttpFailure' || error === 'RetriesExhausted';
  const result = [status, isStatus && status !== undefined ? undefined : error];
  const tried = attempts === 1 ? '' : ` after ${attempts} attempts`;
  return `${method} ${host} → ${result.filter(Boolean).join(' ')}${tried}`;
}

/** Returns the reason of a refusal and the host, such as `refused HostNotAllowed evil.example`. */
function refusalSummary({ code, upstream }: LogFields): string | undefined {
  const { host } = Object(upstream);
  return code === undefined || host === undefined ? undefined : `refused ${code} ${host}`;
}

/** Announces a retry, such as `retry GET api.example.com → 503, again after 200 ms`. */
function retrySummary({ method, host, status, classification, delay_ms }: LogFields): string {
  return `retry ${method} ${host} → ${status ?? classification}, again after ${delay_ms} ms`;
}
