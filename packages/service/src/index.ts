export { type Access, warnOfUnknownCallers } from './access/access.ts';
export { accessSchema } from './access/access-settings.ts';
export { parseCertificates } from './access/tls.ts';
export { oneOfBy } from './documentation/components.ts';
export type { Documentation } from './documentation/documentation.ts';
export { responseOf, TRACE_HEADERS, withExamples } from './documentation/route-schema.ts';
export { addLogFields, createLogger, type Logger, loggerTo, requestLogger } from './log/logger.ts';
export { type LogFields, type Shown, type TerminalLines, terminalLines } from './log/terminal.ts';
export {
  documentOf,
  exampleProblem,
  invalidReply,
  ProblemReply,
  payloadTooLarge,
} from './problems/problem-reply.ts';
export { strictValidator } from './request/request-checks.ts';
export { traceHeaders } from './request/request-head.ts';
export { reloadedFile } from './server/reloaded-file.ts';
export { runService } from './server/run.ts';
export { createServer, type Request, type Server, type ServerOptions } from './server/server.ts';
export { readServiceSettings } from './settings/service-settings.ts';
export {
  bindAddress,
  commonSettings,
  type Environment,
  fileOf,
  integer,
  listOf,
  oneOf,
  parsedBy,
  readSettings,
  SettingsError,
  secret,
} from './settings/settings.ts';
export { telemetrySettings, traceConfig } from './settings/telemetry-settings.ts';
export { DURATION_BUCKETS } from './telemetry/metrics.ts';
export { localTelemetry, type Telemetry } from './telemetry/telemetry.ts';
export type { TraceSpan } from './telemetry/trace-requests.ts';
