export { type Checked, compileCheck, type Formats } from './check.ts';
export { pointerToken } from './violation.ts';
