import fc from 'fast-check';
import { CONNECTOR_FORMS } from './connector-forms.ts';
import { TABLE_CURRENCIES, UNKNOWN_CURRENCIES } from './currencies.ts';
import {
  ALLOWED_NAMES,
  CATEGORIES,
  type CheckInput,
  DENIED_NAMES,
  FLAGS,
  hardCeiling,
} from './decision-table.ts';

const SCOPES = CONNECTOR_FORMS.flatMap(({ connector }) =>
  connector?.scope ? [connector.scope] : [],
);

const currency = fc.constantFrom(...TABLE_CURRENCIES.flatMap((code) => [code, code.toLowerCase()]));

/**
 * Amount in minor units: mostly up to about twice the ceiling of a currency with 0, 2 or 4 digits,
 * sometimes any safe integer.
 */
export const amount = fc.oneof(
  fc.nat({ max: 700 }),
  fc.nat({ max: 2 * hardCeiling('EUR') }),
  fc.nat({ max: 2 * hardCeiling('CLF') }),
  fc.maxSafeNat(),
);

export const categories = fc.array(fc.constantFrom(...CATEGORIES), { maxLength: 12 });
export const flags = fc.array(fc.constantFrom(...FLAGS), { maxLength: 12 });

const NAMES = [...ALLOWED_NAMES, ...DENIED_NAMES, 'Root', 'CALENDAR', 'billing', ''];
const madeUpScope = fc
  .tuple(
    fc.constantFrom('mcp://', 'MCP://', ' mcp://', 'mcp:/', 'http://', ''),
    fc.constantFrom(...NAMES),
    fc.constantFrom('', '/', '?', '#', ':', '@', ' ', '.', 's'),
    fc.oneof(fc.constant(''), fc.string({ maxLength: 4 }), fc.constantFrom(...NAMES)),
  )
  .map((parts) => parts.join(''));
export const scope = fc.oneof(
  fc.constantFrom(...SCOPES),
  madeUpScope,
  fc.string({ unit: 'binary' }),
);

const nullish = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 6 });

/** Any well-formed check request. */
export const checkRequest: fc.Arbitrary<CheckInput> = fc.record(
  {
    request_id: nullish(fc.string({ maxLength: 128 })),
    spend: nullish(
      fc.record(
        { amount_minor_units: amount, currency, user_limit_minor_units: nullish(amount) },
        { requiredKeys: ['amount_minor_units', 'currency'] },
      ),
    ),
    pii: nullish(fc.record({ categories })),
    legal: nullish(fc.record({ flags })),
    connector: nullish(fc.record({ scope: nullish(scope) }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);

const KEYS = ['', ...'spend pii scope categories flags Spend amount a/b m~n toString'.split(' ')];
const NUMBERS = [5.5, -1, 2 ** 53, 1e300, 0];
const VALUES = [null, true, '5', '', 'x'.repeat(129), 'biometrics', [], {}, [null], ...NUMBERS];

const edit = fc.record({
  place: fc.nat({ max: 40 }),
  kind: fc.constantFrom('set', 'drop', 'add'),
  key: fc.oneof(fc.constantFrom(...KEYS), fc.string()),
  value: fc.oneof(fc.constantFrom(...VALUES, ...UNKNOWN_CURRENCIES), fc.jsonValue({ maxDepth: 1 })),
});

/**
 * JSON that almost matches the schema: a well-formed request with up to four members set, dropped
 * or added anywhere in it.
 */
export const nearRequest: fc.Arbitrary<unknown> = fc
  .tuple(checkRequest, fc.array(edit, { maxLength: 4 }))
  .map(([request, edits]) => {
    const root: Record<string, unknown> = { body: structuredClone(request) };
    for (const { place, kind, key, value: shared } of edits) {
      const value = structuredClone(shared);
      const [container, member] = pick(membersOf(root), place);
      if (kind === 'set') Reflect.set(container, member, value);
      else if (kind === 'drop' && container !== root) Reflect.deleteProperty(container, member);
      else if (kind === 'add' && Array.isArray(container)) container.push(value);
      else if (kind === 'add' && container !== root) Object.assign(container, { [key]: value });
    }
    return asSent(root.body);
  });

/**
 * Returns a value as it arrives after being sent as JSON: `-0` is 0, and a hole in an array is
 * null.
 */
function asSent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/**
 * Returns every member of the container and of all objects and arrays inside it, each as its own
 * container and key.
 */
function membersOf(container: object): [object, string][] {
  return Object.entries(container).flatMap(([key, value]): [object, string][] => [
    [container, key],
    ...(typeof value === 'object' && value !== null ? membersOf(value) : []),
  ]);
}

function pick<T>(items: readonly T[], place: number): T {
  const item = items[place % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}
