import type { Verdict } from './decision-table.ts';

/**
 * Form of the `connector` section with its outcome; `absent` means that the response has no entry.
 */
type ConnectorForm = {
  name: string;
  connector: { scope?: string | null } | null | undefined;
  outcome: Verdict | 'absent';
};

const words = (text: string) => text.split(/\s+/);

const ALLOWED = [
  ...words('mcp://calendar mcp://crm mcp://email mcp://files mcp://support mcp://tasks'),
  ...words('MCP://calendar Mcp://Crm mcp://EMAIL mCp://fIlEs'),
  ...[' mcp://support', 'mcp://tasks ', '\t mcp://calendar \r\n'],
];

const DENIED = [
  ...words('mcp://root mcp://secrets mcp://admin MCP://Root mcp://SECRETS Mcp://aDmIn'),
  ...words('mcp://root/ mcp://secrets/prod mcp://admin/mcp://calendar mcp://root?'),
  ...words('mcp://secrets?as=calendar mcp://admin# mcp://root#calendar mcp://secrets:443'),
  ...words('mcp://admin: mcp://root@calendar mcp://secrets@ mcp://admin:/?#@'),
  ...['  mcp://root', 'mcp://admin\n', ' MCP://Secrets/Prod '],
];

const TO_APPROVE = [
  // Unknown names, and names that only resemble a listed one.
  ...words('mcp://billing mcp://x mcp://calendars mcp://calenda mcp://rooted mcp://root2'),
  ...words('mcp://root-ca mcp://root.calendar mcp://secret mcp://administrator'),
  'mcp://calendar,mcp://crm',
  // An allowed name followed by anything else.
  ...words('mcp://calendar/ mcp://crm/contacts mcp://email?to=all mcp://files#top'),
  ...words('mcp://support:443 mcp://tasks@root mcp://calendar: mcp://calendar@ mcp://calendar.'),
  ...['mcp://calendar\u0000', 'mcp://calendar mcp://crm'],
  // Malformed.
  ...words('calendar root ://calendar mcp mcp: mcp:/ mcp:// mcp:/// mcp:///calendar mcp:///root'),
  ...words('mcp:calendar mcp:/calendar mcp://@calendar mcp://user@root mcp://%63alendar'),
  ...['mcp:\\\\calendar', 'mcp:// calendar', 'mcp ://calendar', 'm cp://calendar'],
  'mcp://cal\u200Bendar',
  // Other schemes.
  ...words('http://calendar https://root file://secrets mcps://calendar xmcp://calendar'),
  // Non-ASCII letters, which must not be folded or normalized to ASCII letters.
  ...['mcp://tas\u212As', 'mcp://ta\u017Fks', 'mcp://\u017Fupport', 'mcp://f\u0130les'],
  ...['mcp://\uFF43rm', 'mcp://\u017Fecrets'],
  // Keys that every object inherits.
  ...words('mcp://constructor mcp://__proto__ mcp://toString constructor __proto__'),
];

const scope = (outcome: Verdict) => (text: string) => ({
  name: `${outcome}: scope ${JSON.stringify(text)}`,
  connector: { scope: text },
  outcome,
});

export const CONNECTOR_FORMS: readonly ConnectorForm[] = [
  { name: 'no entry: connector omitted', connector: undefined, outcome: 'absent' },
  { name: 'no entry: connector null', connector: null, outcome: 'absent' },
  { name: 'require_approval: connector {}', connector: {}, outcome: 'require_approval' },
  { name: 'require_approval: scope null', connector: { scope: null }, outcome: 'require_approval' },
  ...['', ' ', '   ', '\t', '\r\n'].map(scope('require_approval')),
  ...ALLOWED.map(scope('allow')),
  ...DENIED.map(scope('deny')),
  ...TO_APPROVE.map(scope('require_approval')),
];
