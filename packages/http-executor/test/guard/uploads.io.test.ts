import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { finished, pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { JsonText } from '@gatehouse/contracts/json';
import { shared } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { startExecutor } from '../support/executor.ts';

const MIB = 1024 * 1024;

interface Received {
  readonly type: string;
  readonly bytes: Buffer;
  /** Fields `[name, value]` and files `[name, filename, type, content]` of a form, in order. */
  readonly form: unknown[][];
}

/** Parses a form while it arrives, as a server with busboy does. */
async function formOf(request: IncomingMessage, type: string): Promise<unknown[][]> {
  const parts: (unknown[] | Promise<unknown[]>)[] = [];
  const parser = new Busboy({ headers: { 'content-type': type } });
  parser.on('field', (name, value) => parts.push([name, value]));
  parser.on('file', (name, content, filename, _encoding, mediaType) =>
    parts.push(buffer(content).then((bytes) => [name, filename, mediaType, bytes])),
  );
  await pipeline(request, parser);
  return Promise.all(parts);
}

/** A server that keeps the last request. */
const site = shared(async () => {
  let last: Received | undefined;
  const server = createServer(async (request, response) => {
    const type = String(request.headers['content-type']);
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    const isForm = type.startsWith('multipart/form-data');
    const form = isForm ? await formOf(request, type) : [];
    if (!isForm) await finished(request);
    last = { type, bytes: Buffer.concat(chunks), form };
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/`,
    last: () => last as Received,
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  };
});
const executor = shared(() => startExecutor());

const post = (members: object) => ({ method: 'POST', url: site().url, ...members });

async function sent(members: object): Promise<Received> {
  await executor().success(post(members));
  return site().last();
}

async function violationsOf(members: object): Promise<[pointer: string, message: string][]> {
  const { code, violations = [] } = await executor().refusal(post(members));
  expect(code).toBe('InvalidAction');
  return violations.map(({ pointer, message }) => [pointer, message]);
}

const typed = (type: string) => ({ headers: { 'content-type': type } });
const MULTIPART = typed('multipart/form-data');
const randomBytes = (size: number) => Buffer.alloc(size, 'a\r\n\0\xff--gatehouse-', 'latin1');

describe('bytes', () => {
  it.each([0, 1, 2, 3, 700_000])('%i of them are sent as they are', async (size) => {
    const bytes = randomBytes(size);
    const received = await sent({ body: bytes.toString('base64'), body_type: 'base64' });
    expect(received.type).toBe('application/octet-stream');
    expect(received.bytes.equals(bytes)).toBe(true);
  });

  it('are sent with the content type of the action', async () => {
    const received = await sent({
      body: 'aGk=',
      body_type: 'base64',
      ...typed('application/json'),
    });
    expect([received.type, `${received.bytes}`]).toEqual(['application/json', 'hi']);
  });

  it.each([
    ['aGk', '/body'],
    ['aGk=\n', '/body'],
    ['a_-=', '/body'],
    ['=', '/body'],
    [1, '/body'],
    [undefined, '/body'],
    [null, '/body'],
  ])('%j is refused as base64', async (body, pointer) => {
    const message = 'must be a string in standard base64 with padding, such as `aGk=`';
    expect(await violationsOf({ body, body_type: 'base64' })).toEqual([[pointer, message]]);
  });

  it('cannot be sent as multipart/form-data', async () => {
    const message = /^must not be set if the content type is `multipart\/form-data`; send/;
    expect(await violationsOf({ body: 'aGk=', body_type: 'base64', ...MULTIPART })).toEqual([
      ['/body_type', expect.stringMatching(message)],
    ]);
  });
});

/** Size of the largest file in base64 that fits into an action of 1 MiB, less the other members. */
const LARGEST_FILE = (3 * (MIB - 400)) / 4;

describe('a multipart body', () => {
  it('has fields and files in order', async () => {
    const body = {
      ...{ title: 'Tea\nand cake', count: 2, draft: false, none: null, tag: ['a', 'b'] },
      photo: { filename: 'a.png', content_type: 'image/png', base64: 'iVBORw==' },
      notes: [
        { filename: 'é "1"\r\n.txt', text: 'naïve' },
        { filename: '', base64: '' },
      ],
      'é"\n': 'name',
    };
    const { form, bytes } = await sent({ body, ...MULTIPART });
    expect(form).toEqual([
      ...[
        ['title', 'Tea\nand cake'],
        ['count', '2'],
        ['draft', 'false'],
      ],
      ...[
        ['tag', 'a'],
        ['tag', 'b'],
      ],
      ['photo', 'a.png', 'image/png', Buffer.from('iVBORw==', 'base64')],
      ['notes', 'é %221%22%0D%0A.txt', 'text/plain', Buffer.from('naïve')],
      ['notes', '', 'application/octet-stream', Buffer.alloc(0)],
      ['é%22%0D%0A', 'name'],
    ]);
    expect(bytes.toString()).toContain('\r\ncontent-type: text/plain; charset=utf-8\r\n');
  });

  it('escapes names as browsers do', async () => {
    const { bytes } = await sent({ body: { '"\n\r\r\n': 1 }, ...MULTIPART });
    expect(bytes.toString()).toContain(
      '\r\ncontent-disposition: form-data; name="%22%0D%0A%0D%0A%0D%0A"\r\n\r\n1\r\n',
    );
  });

  it('keeps the digits of numbers', async () => {
    const body = new JsonText('{"n": 12345678901234567890, "m": [1.50]}');
    expect((await sent({ body, ...MULTIPART })).form).toEqual([
      ['n', '12345678901234567890'],
      ['m', '1.50'],
    ]);
  });

  it.each([1, 2, 3, 1_000, 65_535, 65_536, 65_537, LARGEST_FILE])(
    'carries files of %i bytes',
    async (size) => {
      const content = randomBytes(size);
      const file = { filename: 'f', base64: content.toString('base64') };
      const body = { file, end: 'é' };
      const action = { body, ...MULTIPART };
      expect(JSON.stringify(post(action)).length).toBeLessThanOrEqual(MIB);
      const [first, ...others] = (await sent(action)).form;
      expect(first?.slice(0, 3)).toEqual(['file', 'f', 'application/octet-stream']);
      expect(content.equals(first?.[3] as Buffer)).toBe(true);
      expect(others).toEqual([['end', 'é']]);
    },
  );

  const FORM = expect.stringMatching(/^must be a string, a number, a boolean, a file/);
  it.each<[body: unknown, pointer: string, message: unknown]>([
    ['a=b', '/body', 'must be an object if the content type is `multipart/form-data`'],
    [{}, '/body', 'must have at least one field that is not null'],
    [{ a: null }, '/body', 'must have at least one field that is not null'],
    [{ a: [null] }, '/body/a/0', FORM],
    [{ a: [['b']] }, '/body/a/0', FORM],
    [{ 'a/b': { filename: 'f', file: '' } }, '/body/a~1b/file', FORM],
    [{ a: { base64: '' } }, '/body/a', FORM],
    [{ a: { filename: 1, base64: '' } }, '/body/a/filename', 'must be a string'],
    [null, '/body', 'must be an object if the content type is `multipart/form-data`'],
    [undefined, '/body', 'must be an object if the content type is `multipart/form-data`'],
    ...['/'.repeat(200_000), '/;'.repeat(100_000), `a/b${';a'.repeat(100_000)}`].map(
      (content_type): [unknown, string, unknown] => [
        { a: { filename: 'f', text: '', content_type } },
        '/body/a/content_type',
        'must be a media type, such as `image/png`',
      ],
    ),
    [{ a: { filename: 'f' } }, '/body/a', 'must have either `base64` or `text`'],
    [
      { a: { filename: 'f', text: '', base64: '' } },
      '/body/a',
      'must have either `base64` or `text`',
    ],
    [{ a: { filename: 'f', text: 1 } }, '/body/a/text', 'must be a string'],
    [
      { a: { filename: 'f', base64: 'a' } },
      '/body/a/base64',
      expect.stringMatching(/^must be a str/),
    ],
    [
      { a: { filename: 'f', text: '', content_type: 'image/png\r\nx: y' } },
      '/body/a/content_type',
      'must be a media type, such as `image/png`',
    ],
    [
      { a: { filename: 'f', text: '', content_type: 'png' } },
      '/body/a/content_type',
      expect.anything(),
    ],
    [new JsonText('{"a":"\\ud800"}'), '/body/a', expect.stringMatching(/unpaired surrogate/)],
    [new JsonText('{"\\ud800":1}'), '/body/\ufffd', expect.stringMatching(/unpaired surrogate/)],
    [
      { ['n'.repeat(10_000)]: Array(300).fill(1) },
      '/body',
      `is longer than ${2 * MIB} bytes when encoded as multipart/form-data; send fewer or smaller fields`,
    ],
  ])('%j is refused', async (body, pointer, message) => {
    expect(await violationsOf({ body, ...MULTIPART })).toEqual([[pointer, message]]);
  });

  it('is not read if the host is refused', async () => {
    const violations = await violationsOf({
      ...{ url: 'http://refused.test/', body: { a: 1 } },
      headers: { ...MULTIPART.headers, 'content-length': '3' },
    });
    expect(violations.map(([pointer]) => pointer)).toEqual(['/headers/content-length']);
  });

  it('is refused with all its violations', async () => {
    const body = {
      ...{ nested: [{}, 'x', ['y']], none: null, other: { a: 1, filename: 'f', text: '' } },
      file: { filename: 1, content_type: 'png', base64: 'a' },
      notes: [{ filename: 'n', text: 'fine' }, { filename: 'n' }],
    };
    expect((await violationsOf({ body, ...MULTIPART })).map(([pointer]) => pointer)).toEqual(
      [
        ...['nested/0', 'nested/2', 'other/a', 'file/filename', 'file/content_type'],
        ...['file/base64', 'notes/1'],
      ].map((path) => `/body/${path}`),
    );
  });

  it.each([19, 20, 21])('is refused with at most 20 of %i violations', async (count) => {
    const body = { list: Array(count).fill(null) };
    expect(await violationsOf({ body, ...MULTIPART })).toHaveLength(Math.min(count, 20));
  });

  it('gets its boundary from the executor', async () => {
    const type = 'multipart/form-data; boundary=b';
    expect(await violationsOf({ body: { a: 1 }, ...typed(type) })).toEqual([
      ['/headers/content-type', 'must have no `boundary`, because the executor chooses it'],
    ]);
  });
});
