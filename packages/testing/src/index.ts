export {
  type Bounds,
  exceededBounds,
  listOf,
  membersOf,
  nested,
  post,
  RESPONSE_LIMIT,
  type TextResponse,
} from './attack.ts';
export { BOSS, type Bound, PLANNER, startBound } from './bound.ts';
export { authority, type Certificate, certificate, selfSigned } from './certificates.ts';
export { type Collector, type Span, startCollector } from './collector.ts';
export { type GatedUpstream, startGatedUpstream } from './gated-upstream.ts';
export { freePort } from './port.ts';
export { POSTGRES_BIN, type Postgres, startPostgres } from './postgres.ts';
export { COMPILE_CACHE, startProcess, TestProcess } from './process.ts';
export { findChromium, findProgram } from './programs.ts';
export { type RawUpstream, startRawUpstream } from './raw-upstream.ts';
export { replaceFile } from './replace-file.ts';
export { runToExit, type ServiceProcess, startService } from './service.ts';
export { shared } from './shared.ts';
export {
  type Handler,
  type Received,
  type Reply,
  reply,
  type Script,
  startUpstream,
  type Upstream,
} from './upstream.ts';
