export { type Checked, compileValidator, type Formats } from './check.ts';
