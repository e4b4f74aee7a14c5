import type { Check } from '../body-check.ts';
import { metaSchemaAt } from '../meta-schemas.ts';
import type { ReadSchema } from '../reading/read.ts';
import type { Node } from '../reading/schema-tree.ts';
import { SchemaCompiler } from './compiler.ts';
import { Report } from './evaluation.ts';
import { Resources } from './resources.ts';

/** A check by the drafts to the letter. @throws {InvalidSchema} when a reference leads nowhere. */
export function referenceCheck({ dialect, text }: ReadSchema): Check {
  const schema: Node = JSON.parse(text);
  const isTracking = /"unevaluated(?:Items|Properties)":/.test(text);
  const compiler = new SchemaCompiler(new Resources(schema, dialect, metaSchemaAt), isTracking);
  const judge = compiler.judge(schema);
  return (value) => {
    const report = new Report();
    judge(value, { path: undefined, scope: undefined, report, seen: undefined });
    return report.violations;
  };
}
