const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,"]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))/g;

/** Largest number of characters of `link` that are read. */
const MAX_CHARS = 32 * 1024;

/**
 * Reads `Link` (RFC 8288) as absolute http and https URLs by relation, the first URL of each
 * (docs/contract.md, "links"). Leaves out links from another page, which have an `anchor`.
 */
export function readLinks(
  header: string | readonly string[] | undefined,
  base: string,
): Record<string, string> | undefined {
  const links = new Map<string, string>();
  const text = [header ?? []].flat().join(', ').slice(0, MAX_CHARS);
  for (const [, target = '', parameters = ''] of text.matchAll(LINK)) {
    const named = [...parameters.matchAll(PARAMETER)].map(([, name = '', quoted, plain = '']) => ({
      name: name.toLowerCase(),
      value: quoted ?? plain,
    }));
    const url = URL.parse(target, base);
    if (url === null || !/^https?:$/.test(url.protocol)) continue;
    if (named.some(({ name }) => name === 'anchor')) continue;
    const relations = named.find(({ name }) => name === 'rel')?.value ?? '';
    for (const relation of relations.toLowerCase().match(/\S+/g) ?? [])
      if (!links.has(relation)) links.set(relation, url.href);
  }
  return links.size === 0 ? undefined : Object.fromEntries(links);
}
