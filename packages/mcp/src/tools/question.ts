import { type ActionArguments, printable, type Sections } from '@gatehouse/contracts';

/** Maximum length of a question. The dialog of an MCP host may cut off a longer question. */
export const MAX_QUESTION_CHARS = 4_000;

/**
 * Writes the approval question for the user: the request, its facts, and why it needs approval.
 * Replaces a header's value with `…` if `isCredential` says that the header contains a credential.
 */
export function questionFor(
  action: ActionArguments,
  facts: Sections,
  reason: string,
  isCredential: (name: string) => boolean,
): string {
  const { method, url, query, headers, body, body_type } = action;
  const shownHeaders = Object.entries(headers ?? {}).map(
    ([name, value]) => `${name}: ${isCredential(name) ? '…' : value}`,
  );
  const bytes = body_type == null ? '' : ` (${body_type})`;
  const lines = [
    `Send ${printable(`${method.toUpperCase()} ${url}`)}?`,
    query == null ? '' : `Query: ${printable(JSON.stringify(query))}`,
    shownHeaders.length === 0 ? '' : `Headers: ${printable(shownHeaders.join(', '))}`,
    body == null ? '' : `Body${bytes}: ${printable(JSON.stringify(body))}`,
    `Facts given to the policy: ${printable(JSON.stringify(facts))}`,
    `Reason for approval: ${printable(reason)}`,
  ];
  return lines.filter((line) => line !== '').join('\n');
}
