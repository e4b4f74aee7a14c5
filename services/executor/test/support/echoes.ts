import type { ServiceCredential } from './service-credentials.ts';

/**
 * How upstreams show what they were sent; by itself each time, so that short secrets
 * count too.
 */
const CONTEXTS: Readonly<Record<string, (echo: string) => string>> = {
  whole: (echo) => echo,
  sentence: (echo) => `got ${echo}.`,
  tag: (echo) => `<${echo}>`,
  quoted: (echo) => `"${echo}"`,
  path: (echo) => `/v1/${echo}/x`,
  query: (echo) => `a=${echo}&b=1`,
  name: (echo) => `user:${echo}@host`,
};

const shown = (echo: string, index: number) => ({
  ...Object.fromEntries(Object.entries(CONTEXTS).map(([name, write]) => [name, write(echo)])),
  [`key ${index} ${echo}`]: { list: [index, echo, `- ${echo}`] },
});

const NUMBERS = { count: 123456, id: 1712345678, ratio: 0.5, none: null, yes: true };

/** JSON that shows the secrets, and much that resembles them. */
export function echoDocument(secrets: readonly string[], plain: readonly string[]): string {
  return JSON.stringify({
    numbers: NUMBERS,
    plain: plain.map(shown),
    secrets: secrets.map(shown),
    after: NUMBERS,
  });
}

/** The same as an error page of text. */
export function echoPage(secrets: readonly string[], plain: readonly string[]): string {
  const line = (echo: string) => `<p title="${echo}">No ${echo}: ${echo}.</p>`;
  return `<html>\n${[...plain, ...secrets].map(line).join('\n')}\n</html>`;
}

/** Response headers that show them one by one. */
export function echoHeaders(
  secrets: readonly string[],
  plain: readonly string[],
): Record<string, string> {
  const rows = (name: string, echoes: readonly string[]) =>
    echoes.map((echo, index) => [`x-${name}-${index}`, `got ${echo}, so`]);
  return Object.fromEntries([...rows('shown', plain), ...rows('hidden', secrets)]);
}

export const hidden = ({ secrets }: ServiceCredential) => secrets.map(() => 'REDACTED');
