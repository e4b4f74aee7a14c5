export { BatchRequest, BatchResponse } from './batch.ts';
export {
  ACTION_LIMITS,
  ActionArguments,
  DryRun,
  ExecuteQuery,
  HEADER_NAME,
  HEADER_VALUE,
  METHODS,
  type Method,
  RESPONSE_TYPES,
  RETRIED_METHODS,
  type ResponseType,
} from './execution.ts';
export {
  DIGEST_HEADER,
  ExplainedResponse,
  ExplainQuery,
  Explanation,
  ProfileInForce,
  Remedy,
  RuleExplanation,
} from './explanation.ts';
export {
  type ClaimedAction,
  claimedAction,
  Facts,
  type Sections,
  sectionsBeside,
  toBeJudged,
  withFacts,
} from './facts.ts';
export { Health } from './health.ts';
export {
  type BodyType,
  CLASSIFICATIONS,
  type Classification,
  ExecutionOutcome,
  FAILURES,
  type FailureName,
  FailureOutcome,
  HttpRetryRecord,
  ResponseHeaders,
  SchemaViolation,
  SuccessOutcome,
  UpstreamError,
} from './outcome.ts';
export {
  CHECK_SECTIONS,
  CheckRequest,
  CheckResponse,
  Connector,
  CURRENCY_FORMAT,
  DECISIONS,
  Decision,
  LEGAL_FLAGS,
  Legal,
  type LegalFlag,
  PII_CATEGORIES,
  Pii,
  type PiiCategory,
  RULES,
  RuleDecision,
  type RuleName,
  Spend,
} from './policy.ts';
export { PROBLEM_CODES, PROBLEMS, type ProblemCode, type ProblemKind } from './problem-codes.ts';
export {
  exampleOf,
  PROBLEM_MEDIA_TYPE,
  Problem,
  problemDocument,
  problemType,
} from './problem-document.ts';
export { Profile, ProfileFile, ProfileSet, ProfileSource } from './profile.ts';
export { REASON_CODES, REASONS, type ReasonCode } from './reasons.ts';
export { EXECUTOR_PATHS, POLICY_PATHS, SERVICE_PATHS } from './routes.ts';
export { Sandbox } from './sandbox.ts';
export { Flag, Nullish, OneOf, ShownAs, Strict, StringMap } from './schema.ts';
export {
  MAX_VIOLATION_CHARS,
  MAX_VIOLATIONS,
  pointerToken,
  summarizeViolations,
  Violation,
} from './violation.ts';
