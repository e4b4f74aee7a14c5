export { type Access, warnOfUnknownCallers } from './access/access.ts';
export { parseCertificates } from './access/tls.ts';
export { type ApiToken, parseTokens, Tokens } from './access/tokens.ts';
export { oneOfBy } from './docs/components.ts';
export type { Documentation } from './docs/documentation.ts';
export { responseOf, TRACE_HEADERS, withExamples } from './docs/route-schema.ts';
export { traceHeaders } from './http/request-head.ts';
export { strictValidator } from './http/validators.ts';
export {
  addLogFields,
  createLogger,
  type Logger,
  loggerTo,
  requestLogger,
} from './observe/logger.ts';
export { DURATION_BUCKETS } from './observe/metrics.ts';
export { localTelemetry, type Telemetry } from './observe/telemetry.ts';
export { type LogFields, type Summaries, terminal } from './observe/terminal.ts';
export { failSpan, openSpan, type Tracing } from './observe/trace-requests.ts';
export {
  documentOf,
  exampleProblem,
  invalidReply,
  ProblemReply,
} from './problems/problem-reply.ts';
export { accessSchema } from './server/access-settings.ts';
export { runService } from './server/run.ts';
export { createServer, type Request, type Server, type ServerOptions } from './server/server.ts';
export { readServiceSettings } from './server/service-settings.ts';
export {
  bindAddress,
  commonSettings,
  type Environment,
  fileOf,
  integer,
  issuer,
  listOf,
  oneOf,
  parsedBy,
  readSettings,
  SettingsError,
  secret,
  type Values,
} from './server/settings.ts';
export { telemetrySettings, traceConfig } from './server/telemetry-settings.ts';
