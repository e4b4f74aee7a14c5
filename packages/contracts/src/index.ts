import './node-version.ts';

export {
  type CredentialSource,
  Destination,
  DestinationFile,
  DestinationSet,
} from './executor/destination.ts';
export {
  ACTION_LIMITS,
  ActionArguments,
  DryRun,
  ExecuteQuery,
  HEADER_NAME,
  MAX_JSON_DEPTH,
  METHODS,
  type Method,
  RETRIED_METHODS,
  type ResponseType,
} from './executor/execution.ts';
export {
  type BodyType,
  type Classification,
  ExecutionOutcome,
  type FailureName,
  FailureOutcome,
  HttpRetryRecord,
  Redirect,
  ResponseHeaders,
  SuccessOutcome,
  UpstreamError,
} from './executor/outcome.ts';
export { SandboxDescription } from './executor/sandbox.ts';
export { CURRENCY_FORMAT } from './policy/amounts.ts';
export { CHECK_SECTIONS, CheckRequest } from './policy/check.ts';
export {
  type ClaimedAction,
  claimedActionSchema,
  FixedSections,
  MODEL_MAX_BYTES,
  OMITTED_ADVICE,
  type Sections,
  sectionsBeside,
  splitClaimedAction,
  withFixedSections,
} from './policy/claims.ts';
export {
  BatchRequest,
  BatchResponse,
  CheckResponse,
  DIGEST_HEADER,
  ExplainQuery,
  Explanation,
  Remedy,
  RuleDecision,
  RuleExplanation,
} from './policy/decision.ts';
export type { ActionFacts, StatedSpend } from './policy/http-action.ts';
export { LEGAL_FLAGS, PII_CATEGORIES } from './policy/labels.ts';
export { DECISIONS, Decision, strictest } from './policy/outcome.ts';
export {
  Profile,
  ProfileFile,
  ProfileInForce,
  ProfileSet,
  ProfileSource,
} from './policy/profile.ts';
export { requestText } from './policy/request-text.ts';
export {
  OPTIONAL_RULES,
  type ReasonCode,
  RULES,
  type RuleName,
  type Section,
  type SectionRuleName,
} from './policy/rule-parts.ts';
export { RULE_SCHEMAS } from './policy/rules.ts';
export {
  APPROVAL,
  APPROVAL_REQUEST,
  ApprovalClaims,
  ApprovalRequestClaims,
  ApproveRequest,
  ApproveResponse,
  DECISION_HEADER,
  DECISION_TOKEN,
  DEFAULT_ISSUER,
  DecisionClaims,
  KEY_HEADER,
  KeySet,
  REPLAYED_HEADER,
  SIGNATURE_ALGORITHM,
} from './policy/signed.ts';
export { printable } from './printable.ts';
export type { ExecutorProblemCode } from './problems/executor-problems.ts';
export { PROBLEM_CODES, PROBLEMS, type ProblemCode } from './problems/problem-codes.ts';
export {
  exampleOf,
  PROBLEM_MEDIA_TYPE,
  Problem,
  problemDocument,
  problemType,
} from './problems/problem-document.ts';
export { failure, type Result, success } from './result.ts';
export { EXECUTOR_PATHS, Health, POLICY_PATHS, REQUEST_ID, SERVICE_PATHS } from './routes.ts';
export { NAME, NAME_CHARS, Nullish, OneOf, Strict, schemaForModel } from './schema.ts';
export {
  MAX_VIOLATION_CHARS,
  MAX_VIOLATIONS,
  pointerToken,
  summarizeViolations,
  Violation,
} from './violation.ts';
