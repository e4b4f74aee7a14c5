import { latin1ToUtf8 } from './text.ts';

const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))/g;

/** Largest number of characters of `link` that are read, and of URLs that are listed. */
const MAX_CHARS = 32 * 1024;

const MAX_LINKS = 20;

/**
 * Reads `Link` (RFC 8288) as absolute http and https URLs by relation, the first URL of each
 * (docs/contract.md, "Answers for models"). Leaves out links from another page, which have an
 * `anchor`.
 */
export function readLinks(
  header: string | readonly string[] | undefined,
  base: string,
): Record<string, string> {
  const written = [header ?? []].flat().join(', ').slice(0, MAX_CHARS);
  const text = latin1ToUtf8(written) ?? written;
  const links = new Map<string, string>();
  let chars = 0;
  for (const [, target = '', parameters = ''] of text.matchAll(LINK)) {
    const url = URL.parse(target, base);
    if (url === null || !/^https?:$/.test(url.protocol)) continue;

    for (const relation of relationsIn(parameters)) {
      chars += url.href.length;
      const isListed = links.size < MAX_LINKS && chars <= MAX_CHARS && !links.has(relation);
      if (isListed) links.set(relation, url.href);
    }
  }
  return Object.fromEntries(links);
}

function relationsIn(parameters: string): readonly string[] {
  const named = [...parameters.matchAll(PARAMETER)].map(([, name = '', quoted, plain = '']) => ({
    name: name.toLowerCase(),
    value: quoted ?? plain,
  }));
  if (named.some(({ name }) => name === 'anchor')) return [];
  const relations = named.find(({ name }) => name === 'rel')?.value ?? '';
  return relations.toLowerCase().match(/\S+/g) ?? [];
}
