import type { LogFields, Shown, TerminalLines } from '@gatehouse/service';
import { RETRY_EVENT } from './execution-telemetry.ts';

export const terminalLines: TerminalLines = {
  execution: executionShown,
  request: refusalShown,
  [RETRY_EVENT]: retryShown,
};

/** Summarizes an execution, such as `GET api.example.com → 503 after 3 attempts`. */
function executionShown(entry: LogFields): Shown {
  const { method: _method, path: _path, status: _status, upstream, ...fields } = entry;
  const { outcome: _outcome, error, attempts, attempt_ms, ...rest } = fields;
  const { method, host, path, status, bytes } = Object(upstream);
  const failure = error === 'HttpFailure' || error === 'RetriesExhausted' ? undefined : error;
  const result = [status, failure ?? (status === undefined ? error : undefined)];
  const tried = attempts === 1 ? '' : ` after ${attempts} attempts`;
  return {
    headline: `${method} ${host} → ${result.filter(Boolean).join(' ')}${tried}`,
    rest: { path, ...rest, bytes, attempt_ms },
  };
}

/** Summarizes a refusal in one line, such as `refused HostNotAllowed evil.example`. */
function refusalShown(entry: LogFields): Shown | undefined {
  const { method: _method, path: _path, status: _status, code, upstream, ...rest } = entry;
  const { host, method, path } = Object(upstream);
  if (code === undefined || host === undefined) return undefined;
  return { headline: `refused ${code} ${host}`, rest: { ...rest, method, path } };
}

/** Summarizes a retry, such as `retry GET api.example.com → 503, again after 200 ms`. */
function retryShown({ event: _event, method, host, ...fields }: LogFields): Shown {
  const { status, classification, delay_ms, ...rest } = fields;
  const result = status ?? classification;
  const headline = `retry ${method} ${host} → ${result}, again after ${delay_ms} ms`;
  return { headline, rest };
}
