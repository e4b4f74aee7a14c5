export { type Checked, compileValidator } from './validator.ts';
