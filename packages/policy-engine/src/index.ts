export { type CheckResult, checkPolicy, validateCheckRequest } from './check.ts';
export { evaluatePolicy } from './evaluate.ts';
export { defaultProfile, type Profile } from './profile.ts';
