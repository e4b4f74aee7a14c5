import { existsSync, readFileSync } from 'node:fs';

const REMOTES = new URL('./suite/remotes/', import.meta.url);
const SERVER = 'http://localhost:1234/';

type Node = Readonly<Record<string, unknown>>;

/**
 * Embeds the documents that a schema of the suite refers to, because nothing is ever fetched
 * (compound documents: draft 2020-12, section 9.3).
 */
export function bundled(schema: object, draft: string): object {
  const remotes = new Map<string, Node>();
  embed(schema, 'https://suite.test/', draft, remotes);
  if (remotes.size === 0) return schema;
  const keyword = draft.startsWith('draft20') ? '$defs' : 'definitions';
  const own = (schema as Node)[keyword] as Node | undefined;
  return { ...schema, [keyword]: { ...own, ...Object.fromEntries(remotes) } };
}

/** Finds the documents that references lead to, recursively. */
function embed(value: unknown, base: string, draft: string, found: Map<string, Node>): void {
  if (typeof value !== 'object' || value === null) return;
  const node = value as Node;
  const id = [node.$id, node.id].find((each) => typeof each === 'string');
  const own = typeof id === 'string' ? (URL.parse(id, base)?.href ?? base) : base;
  for (const [name, member] of Object.entries(node)) {
    if (/^\$(?:dynamic|recursive)?[rR]ef$/.test(name) && typeof member === 'string')
      embedRemote(URL.parse(member, own)?.href ?? '', draft, found);
    embed(member, own, draft, found);
  }
}

function embedRemote(reference: string, draft: string, found: Map<string, Node>): void {
  const [uri = ''] = reference.split('#');
  const file = new URL(uri.slice(SERVER.length), REMOTES);
  if (!uri.startsWith(SERVER) || !uri.endsWith('.json') || found.has(uri) || !existsSync(file))
    return;
  const document = JSON.parse(readFileSync(file, 'utf8')) as Node;
  found.set(uri, { ...document, [draft === 'draft4' ? 'id' : '$id']: uri });
  embed(document, uri, draft, found);
}
