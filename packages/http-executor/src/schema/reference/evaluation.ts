import { MAX_VIOLATIONS, pointerToken, type Violation } from '@gatehouse/contracts';
import { bodyViolation } from '../body-check.ts';
import type { Resource } from './resources.ts';

/** Where a value stands in the body. */
export interface Path {
  readonly parent: Path | undefined;
  readonly name: string | number;
}

function pointerOf(path: Path | undefined): string {
  if (path === undefined) return '';
  return `${pointerOf(path.parent)}/${pointerToken(String(path.name))}`;
}

export class Report {
  readonly violations: Violation[] = [];

  get isFull(): boolean {
    return this.violations.length >= MAX_VIOLATIONS;
  }

  add(path: Path | undefined, message: string): void {
    if (!this.isFull) this.violations.push(bodyViolation(pointerOf(path), message));
  }

  addAll({ violations }: Report): void {
    this.violations.push(...violations.slice(0, MAX_VIOLATIONS - this.violations.length));
  }
}

/** The members and items of a value that subschemas have evaluated. */
export class Seen {
  readonly names = new Set<string>();
  readonly items = new Set<number>();
  allNames = false;
  /** All items before this one. */
  itemsBefore = 0;

  add(other: Seen): void {
    for (const name of other.names) this.names.add(name);
    for (const index of other.items) this.items.add(index);
    this.allNames ||= other.allNames;
    this.itemsBefore = Math.max(this.itemsBefore, other.itemsBefore);
  }
}

/** The resources through which an evaluation came, the innermost first. */
export interface Scope {
  readonly resource: Resource;
  readonly outer: Scope | undefined;
}

export interface Evaluation {
  readonly path: Path | undefined;
  readonly scope: Scope | undefined;
  /** Absent where nobody asks for violations. */
  readonly report: Report | undefined;
  /** Absent where no schema asks for what was not evaluated. */
  readonly seen: Seen | undefined;
}

/** Whether a schema, or a keyword of it, accepts a value. */
export type Judge = (value: unknown, at: Evaluation) => boolean;

/** Makes the judge of a keyword's value, with the schema it stands in. */
export type Rule = (
  schema: Readonly<Record<string, unknown>>,
  compiler: Compiler,
) => Judge | undefined;

/** Makes judges of the schemas within a schema. */
export interface Compiler {
  judge(schema: unknown): Judge;
  judges(schemas: unknown): Judge[];
  named(schemas: unknown): Map<string, Judge>;
  referred(keyword: string, schema: Readonly<Record<string, unknown>>): Judge;
  dynamic(keyword: string, schema: Readonly<Record<string, unknown>>): Judge;
  isSince2020(schema: Readonly<Record<string, unknown>>): boolean;
}

export function fail({ path, report }: Evaluation, message: string): false {
  report?.add(path, message);
  return false;
}

export function atMember(at: Evaluation, name: string | number): Evaluation {
  const { scope, report } = at;
  return { path: { parent: at.path, name }, scope, report, seen: undefined };
}

/** Whether all of them are valid; every one is judged if violations are asked for. */
export function allValid<T>(
  each: Iterable<T>,
  at: Evaluation,
  isValid: (one: T) => boolean,
): boolean {
  let valid = true;
  for (const one of each) {
    if (isValid(one)) continue;
    valid = false;
    if (at.report === undefined) return false;
  }
  return valid;
}
