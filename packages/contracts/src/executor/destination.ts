import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Name, NameMap, OneOf, PatternMap, Strict, StrictTitled } from '../schema.ts';
import { HEADER_NAME, methodName } from './execution.ts';

const SAME_FOLDER = 'Relative paths are resolved from the folder of the destinations file.';

const File = (description: string) =>
  Type.String({ minLength: 1, description: `${description} ${SAME_FOLDER}` });

const some = <T extends TSchema>(items: T, description?: string) =>
  Type.Optional(Type.Array(items, { minItems: 1, ...(description && { description }) }));

const limit = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, description }));

/** Members that select requests, in a destination and in a profile's rule on actions. */
export const requestMembers = (which: string) => ({
  host: Type.String({
    description: 'Upstream: `host`, `host:port`, `*.domain` (subdomains only) or an IP literal.',
  }),
  methods: some(methodName(''), `${which} methods. Default: all methods.`),
  paths: Type.Optional(
    Type.Array(Type.String({ maxLength: 2_048 }), {
      minItems: 1,
      maxItems: 1_000,
      description: `Patterns for the ${which.toLowerCase()} paths, without the query. \`*\` matches one or more characters within a segment. A final \`**\` matches the rest of the path. Default: all paths.`,
    }),
  ),
});

/** An upstream, and the requests that may be sent to it (docs/contract.md, "Destinations"). */
export const Destination = StrictTitled('Destination', {
  ...requestMembers('Allowed'),
  callers: some(Name("Name of the caller's token."), 'Allowed callers. Default: all callers.'),
  credential: Type.Optional(Name('Credential to add to each request. Default: none.')),
  per_minute: limit(
    1_000_000,
    'Maximum number of executions per minute. The limit applies to each caller on each replica separately. Default: no limit.',
  ),
  max_executions: limit(
    100_000,
    'Maximum number of executions in flight across all callers. Replaces the limit per host for this destination.',
  ),
  ca_file: Type.Optional(
    File('PEM file of CA certificates to trust in addition to the built-in ones.'),
  ),
  client_cert_file: Type.Optional(File('PEM file with the client certificate and its chain.')),
  client_key_file: Type.Optional(File("PEM file with the client certificate's private key.")),
});
export type Destination = Static<typeof Destination>;

const scopeText = Type.String({
  pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$',
  'x-violation':
    'must be a scope: visible ASCII characters without spaces, double quotes or backslashes',
});

const CREDENTIALS = {
  bearer: Strict({ type: Type.Literal('bearer'), token_file: File('File with the token.') }),
  basic: Strict({
    type: Type.Literal('basic'),
    username: Type.String({
      pattern: '^[^:\\x00-\\x1f\\x7f]*$',
      'x-violation': 'must not contain a colon or control characters',
    }),
    password_file: File('File with the password.'),
  }),
  header: Strict({
    type: Type.Literal('header'),
    name: Type.String({
      pattern: HEADER_NAME.source,
      'x-violation': 'must be the name of a header',
      description: 'Name of the header.',
    }),
    value_file: File('File with the complete value of the header.'),
  }),
  oauth2_client_credentials: Strict({
    type: Type.Literal('oauth2_client_credentials'),
    token_url: Type.String({
      description: 'URL of the token endpoint: https, or http on a loopback address.',
    }),
    client_id: Type.String({ minLength: 1 }),
    client_secret_file: File('File with the client secret.'),
    scopes: some(scopeText),
    audience: Type.Optional(Type.String({ description: 'Parameter `audience` of the request.' })),
    resource: Type.Optional(Type.String({ description: 'Parameter `resource` of the request.' })),
    parameters: Type.Optional(
      PatternMap(
        '^(?!(?:grant_type|client_id|client_secret|scope|audience|resource)$)',
        'must not be set here, because another member of the credential sets this parameter',
        Type.String(),
        'Further parameters of the request to the token endpoint. Must not contain secrets.',
      ),
    ),
    auth_method: Type.Optional(
      OneOf(
        ['client_secret_basic', 'client_secret_post'],
        'How the client authenticates. Default: `client_secret_basic`.',
      ),
    ),
  }),
};

/** Credential for an upstream, with the path of the file that contains the secret. */
export type CredentialSource = Static<(typeof CREDENTIALS)[keyof typeof CREDENTIALS]>;

const CredentialSource = Type.Unsafe<CredentialSource>({
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: Object.values(CREDENTIALS),
  'x-violation': `must set \`type\` to one of these: ${Object.keys(CREDENTIALS).join(', ')}`,
});

export const DestinationSet = Strict({
  destinations: Type.Array(Destination, {
    maxItems: 2_000,
    description:
      'An action uses the first destination that matches. An action that matches no destination is refused.',
  }),
  credentials: Type.Optional(NameMap(CredentialSource, 'Credentials, keyed by name.')),
});
export type DestinationSet = Static<typeof DestinationSet>;

/** JSON Schema for destinations files. Uses draft 7, because all editors support draft 7. */
export const DestinationFile: object = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Gatehouse destinations',
  ...DestinationSet,
};
