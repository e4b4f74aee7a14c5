/** JSON Schema drafts, oldest first. The last one, `openapi`, adds OpenAPI keywords to 2020-12. */
const DIALECTS = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12', 'openapi'] as const;
export type Dialect = (typeof DIALECTS)[number];

export const DEFAULT_DIALECT: Dialect = 'openapi';

const BY_URI: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft-04/schema', 'draft-04'],
  ['json-schema.org/draft-06/schema', 'draft-06'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
]);
const OPENAPI = /^spec\.openapis\.org\/oas\/3\.\d+\/(?:dialect|schema)/;

export const KNOWN_URIS = [...BY_URI.keys()].map((uri) => `\`https://${uri}\``).join(', ');

export function dialectOf($schema: string): Dialect | undefined {
  const uri = $schema.replace(/^https?:\/\//, '').replace(/#$/, '');
  return OPENAPI.test(uri) ? 'openapi' : BY_URI.get(uri);
}

export function isSince(dialect: Dialect, since: Dialect): boolean {
  return DIALECTS.indexOf(dialect) >= DIALECTS.indexOf(since);
}

/** Returns the keyword that gives a schema its own base URI. */
export function idKeywordOf(dialect: Dialect | undefined): 'id' | '$id' {
  return dialect === 'draft-04' ? 'id' : '$id';
}
