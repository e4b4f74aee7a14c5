import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JsonText } from '@gatehouse/json-text';
import { findProgram, freePort, shared, startProcess } from '@gatehouse/testing';
import { describe, expect, it, vi } from 'vitest';
import { startExecutor } from './support/executor.ts';

const PYTHON = findProgram('python3');
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Files by name: their bytes in hexadecimal, and the text that these bytes encode. */
const TEXTS: Record<string, [hex: string, text: string]> = {
  'menu.txt': ['436166c3a9', 'Café'],
  'menu.latin1': ['436166e92c2080', 'Café, €'],
  'menu.sjis': ['8365835882672e', 'テスＨ.'],
};
const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');

/**
 * Starts a server of Python's standard library. It serves files, and answers each form with the
 * fields that Python's own parser read.
 */
async function startPython() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-real-'));
  for (const [name, [hex]] of Object.entries(TEXTS))
    writeFileSync(join(folder, name), Buffer.from(hex, 'hex'));
  writeFileSync(join(folder, 'pixel.png'), PNG);
  const port = await freePort();
  const script = fileURLToPath(new URL('support/form-server.py', import.meta.url));
  const running = startProcess(PYTHON ?? '', { args: [script, `${port}`, folder] });
  const origin = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(origin), { timeout: 60_000 });
  const dispose = async () => {
    await running[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  };
  return { origin, [Symbol.asyncDispose]: dispose };
}

describe.skipIf(PYTHON === undefined)("Python's own server", () => {
  const executor = shared(startExecutor);
  const python = shared(startPython);

  it.each<[name: string, body: unknown, ...lines: string[]]>([
    ['strings', { a: 'x y', 'b&': 'é=%+' }, "a = 'x y'", "b& = 'é=%+'"],
    ['scalars', { n: 1.5, t: true }, "n = '1.5'", "t = 'true'"],
    ['lists', { tag: ['new', 2] }, "tag = 'new'", "tag = '2'"],
    ['nothing', { empty: '' }, "empty = ''"],
    ['a string', 'a=1&b=%C3%A9+c', "a = '1'", "b = 'é c'"],
    [
      'every digit',
      new JsonText('{"n":9007199254740993,"z":1.00}'),
      "n = '9007199254740993'",
      "z = '1.00'",
    ],
  ])('reads a form of %s', async (_name, body, ...lines) => {
    const action = { method: 'POST', url: python().origin, headers: FORM, body };
    expect(await executor().success({ ...action, response_type: 'text' })).toMatchObject({
      body_type: 'text',
      body: lines.map((line) => `${line}\n`).join(''),
    });
    expect(await executor().failure(action)).toMatchObject({ error: 'ResponseNotJson' });
  });

  it('serves text and bytes', async () => {
    const get = (file: string, response_type: string) =>
      executor().outcome({ method: 'GET', url: `${python().origin}/${file}`, response_type });
    for (const [file, [hex, text]] of Object.entries(TEXTS)) {
      for (const type of ['text', 'auto'])
        expect(await get(file, type)).toMatchObject({ body_type: 'text', body: text });
      const { body } = await get(file, 'base64');
      expect(Buffer.from(String(body), 'base64').toString('hex')).toBe(hex);
    }
    expect(await get('pixel.png', 'auto')).toMatchObject({ body: PNG.toString('base64') });
    expect(await get('none', 'auto')).toMatchObject({
      error: 'HttpFailure',
      status: 404,
      body_type: 'text',
      body: expect.stringContaining('<title>Error response</title>'),
    });
  });
});
