import { execute } from '../assault.ts';
import type { Attack } from '../attack.ts';
import { type Answer, post, talk } from '../client.ts';
import { readAnswer } from '../contract.ts';
import { range } from '../shapes.ts';
import { reply } from '../upstream.ts';

const labelOf = (answer: Answer) => readAnswer(answer).label;

const hugeNumber: Attack = {
  name: '280 nines and e99 for `{"type":"number"}`',
  finding: '8',
  prepare: (scene) => {
    const digits = `${'9'.repeat(280)}e99`;
    scene.upstream.answer(() => reply({ body: digits }));
    return async () => {
      const answer = await execute(scene, { response_schema: { type: 'number' } });
      const success = labelOf(answer) === 'success';
      return {
        answers: [answer],
        responseBytes: digits.length,
        wrong: success ? `it passes as ${bodyOf(answer)}` : undefined,
      };
    };
  },
};

const bodyOf = ({ text }: Answer) => JSON.stringify(JSON.parse(text).body).slice(0, 40);

const redirectToItself: Attack = {
  name: 'a POST that is answered by 307 to itself',
  finding: '11',
  prepare: (scene) => {
    const { upstream } = scene;
    upstream.answer(({ path }) => reply({ status: 307, headers: { location: path } }));
    const action = { url: `${upstream.origin}/orders`, body: { sku: 7 } };
    return async () => {
      const answers = [await execute(scene, action)];
      const times = upstream.asked.length;
      return { answers, wrong: times > 1 ? `it was sent ${times} times` : undefined };
    };
  },
};

const redirectSpelling: Attack = {
  name: 'a redirect to http://0x7f.1',
  finding: '12',
  prepare: (scene) => {
    const { upstream } = scene;
    const location = `http://0x7f.1:${upstream.port}/found`;
    upstream.answer(({ path }) =>
      path === '/found' ? reply({ body: '1' }) : reply({ status: 302, headers: { location } }),
    );
    return async () => {
      const answers = [await execute(scene, { method: 'GET' })];
      const followed = upstream.asked.some(({ path }) => path === '/found');
      return { answers, wrong: followed ? 'it was followed' : undefined };
    };
  },
};

const amounts: Attack = {
  name: 'amounts that parsing rounds',
  finding: '14',
  service: 'policy',
  prepare: ({ url }) => {
    const written = ['10000.0000000000001', '9007199254740993', '1e-400', '9999.99999999999999999'];
    return async () => {
      const answers = await Promise.all(
        written.map((amount) =>
          post(
            `${url}/policy/check`,
            `{"spend":{"amount_minor_units":${amount},"currency":"EUR"}}`,
          ),
        ),
      );
      const taken = written.filter((_, n) => answers[n]?.status === 200);
      return {
        answers,
        wrong: taken.length > 0 ? `taken for whole numbers: ${taken.join(', ')}` : undefined,
      };
    };
  },
};

const METADATA = {
  'ec2.metadata.test': 'fd00:ec2::23',
  'mapped.metadata.test': 'fe80::a9fe:a9fe',
  'nat64.metadata.test': '64:ff9b:1:a9fe:a9:fe00::',
  'plain.metadata.test': '169.254.169.254',
  'embedded.metadata.test': '::ffff:169.254.169.254',
};

const metadata: Attack = {
  name: 'names of metadata addresses, all networks allowed',
  finding: '7',
  preload: 'lookups.ts',
  settings: {
    HOSTILE_NAMES: JSON.stringify(METADATA),
    HTTP_EXECUTOR_ALLOWED_HOSTS: `127.0.0.1,${Object.keys(METADATA).join(',')}`,
    HTTP_EXECUTOR_ALLOWED_NETWORKS: '0.0.0.0/0,::/0',
    HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '1000',
  },
  prepare: (scene) => async () => {
    const names = Object.keys(METADATA);
    const asked = names.map((name) => execute(scene, { url: `http://${name}/` }));
    const answers = await Promise.all(asked);
    const admitted = names.filter((_, n) => answers[n]?.status !== 403);
    const wrong = admitted.length > 0 ? `not refused: ${admitted.join(', ')}` : undefined;
    return { answers, wrong };
  },
};

const PROMPT_MS = 1_000;

const slowLookups: Attack = {
  name: '16 slow name lookups beside an ordinary one',
  finding: 'by reading',
  preload: 'lookups.ts',
  settings: {
    HTTP_EXECUTOR_ALLOWED_HOSTS: '127.0.0.1,localhost,*.slow.test',
    HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '2000',
  },
  prepare: (scene) => async () => {
    const slow = range(16, (n) => execute(scene, { url: `http://n${n}.slow.test/` }));
    const started = performance.now();
    const prompt = await execute(scene, { url: `http://localhost:${scene.upstream.port}/` });
    const took = performance.now() - started;
    const answers = [prompt, ...(await Promise.all(slow))];
    const late = took > PROMPT_MS || labelOf(prompt) !== 'success';
    const said = `localhost was answered with ${labelOf(prompt)} after ${Math.round(took)} ms`;
    return { answers, wrong: late ? said : undefined };
  },
};

const lostConnection: Attack = {
  name: 'ETIMEDOUT on an established connection',
  finding: 'by reading',
  preload: 'lost-connection.ts',
  prepare: (scene) => {
    const { upstream } = scene;
    upstream.answer(() => undefined);
    const action = { url: `${upstream.origin}/lost`, body: { sku: 7 } };
    return async () => {
      const answer = await execute(scene, action);
      const denied = upstream.asked.length > 0 && answer.text.includes('Nothing was sent');
      return {
        answers: [answer],
        wrong: denied ? 'the request was sent, and the answer says that nothing was' : undefined,
      };
    };
  },
};

const neverEnding: Attack = {
  name: 'an answer that trickles, and 1xx without end',
  settings: { HTTP_EXECUTOR_ATTEMPT_TIMEOUT_MS: '500' },
  prepare: (scene) => {
    const { port, upstream } = scene;
    upstream.answer(({ path }, socket) => {
      const drop =
        path === '/1xx' ? 'HTTP/1.1 103 Early\r\nlink: </a>\r\n\r\n'.repeat(100) : 'x-a: b\r\n';
      if (path !== '/1xx') socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write(drop), 5);
      socket.on('close', () => clearInterval(timer));
      return undefined;
    });
    const paths = ['/1xx', '/headers', '/1xx', '/headers'];
    return async () => {
      const asked = paths.map((path) => execute(scene, { url: upstream.origin + path }));
      const answers = await Promise.all(asked);
      await talk(port, 'GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
      return { answers };
    };
  },
};

export const judgements: Attack[] = [
  ...[hugeNumber, redirectToItself, redirectSpelling, amounts, metadata, slowLookups],
  ...[lostConnection, neverEnding],
];
