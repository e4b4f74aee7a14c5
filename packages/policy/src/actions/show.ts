import type { Decision } from '@gatehouse/contracts';
import { readEntries, requestsOf, type Settings } from './http-action.ts';

type Row = readonly [what: string, outcome: Decision | ''];

/**
 * Lists the rows of `gatehouse show`: the outcomes of the rules, each followed by its facts, and
 * the outcomes of all other actions.
 */
export function showActions(settings: Settings): Row[] {
  return [
    ...readEntries(settings).flatMap((entry): Row[] => {
      const { outcome, facts = {} } = entry.rule;
      return [
        ...requestsOf(entry).map((request): Row => [request, outcome]),
        ...Object.entries(facts).map(([section, stated]): Row => [factText(section, stated), '']),
      ];
    }),
    ['(any other)', settings.unlisted],
    ['(no action)', settings.missing],
  ];
}

/** Returns a row's text, such as `- spend: none` or `- pii: categories basic_contact, location`. */
function factText(section: string, stated: string | object): string {
  if (typeof stated === 'string') return `- ${section}: ${stated}`;
  const members = Object.entries(stated).map(
    ([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') || '(none)' : value}`,
  );
  return `- ${section}: ${members.join(', ')}`;
}
