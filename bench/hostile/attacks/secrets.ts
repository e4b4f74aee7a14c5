import { execute } from '../assault.ts';
import type { Attack, Scene } from '../attack.ts';
import type { Answer } from '../client.ts';
import { reply } from '../upstream.ts';

/** A request header with a secret, and how the upstream repeats that. */
interface Echo {
  readonly name: string;
  readonly header: readonly [name: string, value: string];
  /** Body or response header that repeats it; the secret itself unless given. */
  readonly echo?: string;
  /** What may not come through. */
  readonly secret: string;
}

const SECRET = 'kR7wLq2ZxV9tNb4mPf6d';
const base64 = (text: string, encoding: BufferEncoding) =>
  Buffer.from(text, encoding).toString('base64');

const named = (name: string): Echo => ({ name, header: [name, SECRET], secret: SECRET });
const parameter = (name: string, value: string): Echo => ({
  name: `${name}: ${value}`,
  header: [name, value.replace('SECRET', SECRET)],
  secret: SECRET,
});

/** Names of headers that carry a secret, whoever sent it first. */
const NAMES = [
  ...['x-authorization', 'x-serverless-authorization', 'x-ms-authorization-auxiliary'],
  ...['authentication', 'x-key-passphrase', 'cb-access-sign', 'x-github-otp', 'x-passcode'],
  'x-honeycomb-team',
];

/** Finding 6: names and parameters, repeated in the body. */
const ECHOES: Echo[] = [
  ...NAMES.map(named),
  parameter('authorization', 'key=SECRET'),
  parameter('x-signature', 't=1700000000,v1=SECRET'),
  parameter('x-session-cookie', 'sid=SECRET'),
  parameter('authorization', 'SharedKey account:SECRET'),
  parameter('authorization', 'AWS AKIAIOSFODNN7EXAMPLE:SECRET'),
  {
    name: 'Basic in latin-1',
    header: ['authorization', `Basic ${base64('user:pässwörd-Zx81', 'latin1')}`],
    secret: 'pässwörd-Zx81',
  },
  {
    name: 'named HTML entities',
    header: ['authorization', 'Bearer a&b<c>"d-Zx81kR7wLq2'],
    echo: 'a&amp;b&lt;c&gt;&quot;d-Zx81kR7wLq2',
    secret: 'd-Zx81kR7wLq2',
  },
];

const leaked = (answer: Answer, secret: string) => answer.text.includes(secret);

function tryEcho(scene: Scene, { header: [name, value], echo, secret }: Echo): Promise<Answer> {
  const body = JSON.stringify({ echo: echo ?? secret, within: `<${echo ?? secret}>` });
  scene.upstream.answer(() => reply({ body }));
  return execute(scene, { headers: { [name]: value } });
}

function tryResponseHeader(scene: Scene, name: string): Promise<Answer> {
  scene.upstream.answer(() => reply({ headers: { [name]: SECRET }, body: '1' }));
  return execute(scene);
}

const UTF8_PASSWORD = 'pässwörd-Zx81kR7';

/** A response header with a password in UTF-8, which is read as latin-1. */
function tryUtf8Header(scene: Scene): Promise<Answer> {
  const bytes = Buffer.from(
    `HTTP/1.1 200 OK\r\nx-echo: ${UTF8_PASSWORD}\r\ncontent-length: 1\r\n\r\n1`,
  );
  scene.upstream.answer(() => bytes);
  const authorization = `Basic ${base64(`user:${UTF8_PASSWORD}`, 'utf8')}`;
  return execute(scene, { headers: { authorization } });
}

/** A member that nobody knows, named like the secret, is repeated by the refusal. */
function tryMember(scene: Scene): Promise<Answer> {
  return execute(scene, { headers: { authorization: `Bearer ${SECRET}` }, [SECRET]: 1 });
}

export const secrets: Attack[] = [
  {
    name: 'secrets that get through',
    finding: '6',
    prepare: (scene) => async () => {
      const answers: Answer[] = [];
      const through: string[] = [];
      const note = (name: string, answer: Answer, secrets: string[]) => {
        answers.push(answer);
        if (secrets.some((secret) => leaked(answer, secret))) through.push(name);
      };
      for (const echo of ECHOES) note(echo.name, await tryEcho(scene, echo), [echo.secret]);
      for (const name of ['authorization', ...NAMES])
        note(`response ${name}`, await tryResponseHeader(scene, name), [SECRET]);
      const asLatin1 = Buffer.from(UTF8_PASSWORD).toString('latin1');
      note('UTF-8 in a response header', await tryUtf8Header(scene), [UTF8_PASSWORD, asLatin1]);
      note('a member named like it', await tryMember(scene), [SECRET]);
      const wrong =
        through.length === 0
          ? undefined
          : `${through.length} secrets got through: ${through.join('; ')}`;
      return { answers, responseBytes: 1_024, wrong };
    },
  },
];
