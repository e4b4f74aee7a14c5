import { isSince } from '../reading/dialects.ts';
import type { Node } from '../reading/schema-tree.ts';
import { contains, items, unevaluatedItems } from './arrays.ts';
import { assertionsOf } from './assertions.ts';
import { allOf, anyOf, conditional, dynamicRef, not, oneOf, ref } from './branches.ts';
import {
  allValid,
  type Compiler,
  type Evaluation,
  fail,
  type Judge,
  type Rule,
  type Scope,
  Seen,
} from './evaluation.ts';
import {
  dependencies,
  members,
  propertyNames,
  required,
  unevaluatedProperties,
} from './objects.ts';
import type { Resource, Resources } from './resources.ts';

/** In the order in which they have to be asked: what is unevaluated is known at the end. */
const RULES: readonly Rule[] = [
  ...[ref, dynamicRef, required, members, propertyNames, dependencies],
  ...[items, contains, allOf, anyOf, oneOf, not, conditional],
];
const LAST_RULES: readonly Rule[] = [unevaluatedItems, unevaluatedProperties];

const accept: Judge = () => true;
const refuse: Judge = (_value, at) => fail(at, 'boolean schema is false');

const orNull = (judge: Judge): Judge => {
  return (value, at) => value === null || judge(value, at);
};

/** Compiles every schema that can be reached, each once. */
export class SchemaCompiler implements Compiler {
  readonly #resources: Resources;
  /** Whether it has to be known what was evaluated. */
  readonly #isTracking: boolean;
  readonly #known = new Map<object, Judge>();

  constructor(resources: Resources, isTracking: boolean) {
    this.#resources = resources;
    this.#isTracking = isTracking;
  }

  judge(schema: unknown): Judge {
    if (typeof schema !== 'object' || schema === null) return schema === false ? refuse : accept;
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const rules: { all: Judge[]; last: Judge[] } = { all: [], last: [] };
    const strict = this.#applying(rules, this.#resources.of(schema as Node));
    const judge = (schema as Node).nullable === true ? orNull(strict) : strict;
    // Before its rules are made: they may lead back to it.
    this.#known.set(schema, judge);
    rules.all.push(...assertionsOf(schema as Node), ...this.#made(RULES, schema as Node));
    rules.last.push(...this.#made(LAST_RULES, schema as Node));
    return judge;
  }

  #made(rules: readonly Rule[], schema: Node): Judge[] {
    return rules.map((rule) => rule(schema, this)).filter((judge) => judge !== undefined);
  }

  #applying(rules: { all: readonly Judge[]; last: readonly Judge[] }, resource: Resource): Judge {
    return (value, outer) => {
      const at: Evaluation = {
        path: outer.path,
        scope: outer.scope?.resource === resource ? outer.scope : { resource, outer: outer.scope },
        report: outer.report?.isFull ? undefined : outer.report,
        seen: this.#isTracking ? new Seen() : undefined,
      };
      const isValid = (judge: Judge) => judge(value, at);
      const valid = allValid(rules.all, at, isValid) && allValid(rules.last, at, isValid);
      if (valid && at.seen !== undefined) outer.seen?.add(at.seen);
      return valid;
    };
  }

  judges(schemas: unknown): Judge[] {
    return Array.isArray(schemas) ? schemas.map((schema) => this.judge(schema)) : [];
  }

  named(schemas: unknown): Map<string, Judge> {
    const entries = Object.entries((schemas ?? {}) as object);
    return new Map(entries.map(([name, schema]) => [name, this.judge(schema)]));
  }

  referred(keyword: string, schema: Node): Judge {
    return this.judge(this.#resources.resolve(keyword, schema).schema);
  }

  /** The outermost schema with the anchor, if the nearest one has it as a dynamic one. */
  dynamic(keyword: string, schema: Node): Judge {
    const target = this.#resources.resolve(keyword, schema);
    const nearest = this.judge(target.schema);
    const name = target.fragment;
    const anchored = target.resource.dynamicAnchors.get(name);
    if (anchored === undefined || anchored !== target.schema) return nearest;
    const judges = new Map(
      this.#resources
        .withDynamicAnchor(name)
        .map((each) => [each, this.judge(each.dynamicAnchors.get(name))]),
    );
    return (value, at) => (outermost(judges, at.scope) ?? nearest)(value, at);
  }

  isSince2020(schema: Node): boolean {
    return isSince(this.#resources.of(schema).dialect, '2020-12');
  }
}

function outermost(judges: ReadonlyMap<Resource, Judge>, scope: Scope | undefined) {
  let found: Judge | undefined;
  for (let each = scope; each !== undefined; each = each.outer)
    found = judges.get(each.resource) ?? found;
  return found;
}
