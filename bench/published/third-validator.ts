import type { Node } from './bundles.ts';
import { load } from './packages.ts';

/** Whether a value is valid by a validator that shares nothing with the executor. */
export type Verdict = (value: unknown) => boolean;

interface Hyperjump {
  registerSchema(schema: Node, uri: string, dialect: string): void;
  unregisterSchema(uri: string): void;
  validate(uri: string): Promise<(value: unknown) => { readonly valid: boolean }>;
  setShouldValidateFormat(isOn: boolean): void;
  setShouldValidateSchema(isOn: boolean): void;
}

/** `@hyperjump/json-schema`; by the name of a family's dialect, and by `$schema`. */
export class ThirdValidator {
  readonly #hyperjump: Hyperjump;
  #count = 0;

  private constructor(hyperjump: Hyperjump) {
    this.#hyperjump = hyperjump;
  }

  static async load(): Promise<ThirdValidator> {
    const drafts = ['draft-04', 'draft-06', 'draft-07', 'draft-2019-09', 'draft-2020-12'];
    const modules = [...drafts, 'openapi-3-0', 'openapi-3-1'];
    for (const each of modules) await load(`@hyperjump/json-schema/${each}/index.js`);
    const hyperjump = (await load(
      '@hyperjump/json-schema/draft-07/index.js',
    )) as unknown as Hyperjump;
    hyperjump.setShouldValidateFormat(false);
    hyperjump.setShouldValidateSchema(false);
    const { loadDialect } = await load('@hyperjump/json-schema/lib/experimental.js');
    // The dialect of OpenAPI 3.0, but with words that it does not know, such as extensions.
    (loadDialect as LoadDialect)(
      OPENAPI_30,
      { 'https://spec.openapis.org/oas/3.0/dialect': true },
      true,
    );
    return new ThirdValidator(hyperjump);
  }

  /** @throws {Error} when it cannot judge by the schema. */
  async compile(schema: Node, dialect: string): Promise<Verdict> {
    this.#count += 1;
    const uri = `https://published.test/${this.#count}`;
    const { $schema, $ref, ...parts } = schema;
    // It would not find the parts beside a `$ref` at the root.
    const rest = $ref === undefined ? parts : { ...parts, allOf: [{ $ref }] };
    const own = typeof $schema === 'string' ? $schema : (BY_DIALECT[dialect] ?? DEFAULT);
    this.#hyperjump.registerSchema(rest, uri, own);
    const validate = await this.#hyperjump.validate(uri);
    return (value) => validate(value).valid;
  }
}

type LoadDialect = (id: string, vocabularies: Node, allowsUnknown: boolean) => void;

const OPENAPI_30 = 'https://published.test/openapi-3.0';
const DEFAULT = 'https://json-schema.org/draft/2020-12/schema';
const BY_DIALECT: Readonly<Record<string, string>> = {
  'OpenAPI 3.0': OPENAPI_30,
  'OpenAPI 3.1': 'https://spec.openapis.org/oas/3.1/dialect/base',
};
