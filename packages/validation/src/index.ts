export { type Checked, compileCheck, type Formats } from './check.ts';
