import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reloadable } from '../src/index.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const second = () => vi.advanceTimersByTime(1_000);

/**
 * Polls a file that contains `old`, and records what happens. Each line that begins with `+` names
 * another file, whose content replaces the line. `!` is a mistake, and `?` cannot be applied.
 */
function poll() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-reloadable-'));
  const path = (name: string) => join(folder, name);
  writeFileSync(path('file'), 'old');
  const events: string[] = [];
  const file = reloadable<string>({
    path: path('file'),
    read: (readFile) => {
      const text = String(readFile(path('file'))).replaceAll(/^\+(.+)$/gm, (_line, name) =>
        String(readFile(path(name))),
      );
      if (text.includes('!')) throw new Error(`mistake in ${text}`);
      return text;
    },
    apply: (text, isFirst) => {
      if (text.includes('?')) throw new Error(`cannot apply ${text}`);
      events.push(isFirst ? `first ${text}` : text);
    },
    failed: ({ message }) => events.push(message.replace(folder, '')),
  });
  return {
    path,
    file,
    /** What happened since the last call. */
    events: () => events.splice(0),
    write: (content: string, name = 'file') => writeFileSync(path(name), content),
    [Symbol.dispose]: () => {
      file.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Polls a file that has been read once. */
function pollAfterStart() {
  const polled = poll();
  second();
  expect(polled.events()).toEqual(['first old']);
  return polled;
}

describe('a reloadable file', () => {
  it('is read once after startup, because it may have changed meanwhile', () => {
    using polled = poll();
    expect(polled.events()).toEqual([]);
    second();
    expect(polled.events()).toEqual(['first old']);
    vi.advanceTimersByTime(60_000);
    expect(polled.events()).toEqual([]);
  });

  it.each<[string, (path: string) => void]>([
    ['written in place', (path) => writeFileSync(path, 'new')],
    [
      'replaced by another file',
      (path) => {
        writeFileSync(`${path}.new`, 'new');
        renameSync(`${path}.new`, path);
      },
    ],
    [
      'changed to the same size and time',
      (path) => {
        utimesSync(path, 1, 1);
        writeFileSync(path, 'new');
        utimesSync(path, 1, 1);
      },
    ],
    [
      'replaced by a link',
      (path) => {
        writeFileSync(`${path}.target`, 'new');
        rmSync(path);
        symlinkSync(`${path}.target`, path);
      },
    ],
  ])('is read two polls after it was %s', (_name, change) => {
    using polled = pollAfterStart();
    change(polled.path('file'));
    second();
    expect(polled.events()).toEqual([]);
    second();
    expect(polled.events()).toEqual(['new']);
    second();
    expect(polled.events()).toEqual([]);
  });

  it('is not read while it is being written, even if asked to', () => {
    using polled = pollAfterStart();
    polled.write('');
    for (const letter of 'half and half') {
      polled.file.readAgain();
      appendFileSync(polled.path('file'), letter);
      second();
    }
    expect(polled.events()).toEqual([]);
    second();
    expect(polled.events()).toEqual(['half and half']);
  });

  it('is not read if only its mode or time has changed', () => {
    using polled = pollAfterStart();
    chmodSync(polled.path('file'), 0o600);
    utimesSync(polled.path('file'), 1, 1);
    vi.advanceTimersByTime(5_000);
    expect(polled.events()).toEqual([]);
  });

  it('is read one second after it was asked to, whether or not it has changed', () => {
    using polled = pollAfterStart();
    for (const content of ['old', 'new']) {
      vi.advanceTimersByTime(900);
      polled.write(content);
      polled.file.readAgain();
      vi.advanceTimersByTime(999);
      expect(polled.events()).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(polled.events()).toEqual([content]);
    }
    second();
    expect(polled.events()).toEqual([]);
  });

  it('is not the first read if it was asked to during startup', () => {
    using polled = poll();
    polled.file.readAgain();
    second();
    expect(polled.events()).toEqual(['old']);
  });

  it('is not used if it changes just before it is read', () => {
    using polled = poll();
    const path = polled.path('file');
    const values: string[] = [];
    const file = reloadable({
      path,
      read: (readFile) => {
        writeFileSync(path, 'whole');
        return String(readFile(path));
      },
      apply: (text) => values.push(text),
      failed: ({ message }) => values.push(message),
    });
    second();
    expect(values).toEqual([]);
    second();
    file.stop();
    expect(values).toEqual(['whole']);
  });

  it('is not read after it was stopped', () => {
    using polled = pollAfterStart();
    polled.file.stop();
    polled.write('new');
    vi.advanceTimersByTime(5_000);
    expect(polled.events()).toEqual([]);
  });
});

describe('a broken reloadable file', () => {
  it.each<[string, (path: string) => void, string]>([
    ['removed', (path) => rmSync(path), "ENOENT: no such file or directory, stat '/file'"],
    ['a mistake', (path) => writeFileSync(path, 'a!'), 'mistake in a!'],
    ['refused', (path) => writeFileSync(path, 'a?'), 'cannot apply a?'],
    [
      'a device',
      (path) => {
        rmSync(path);
        symlinkSync('/dev/zero', path);
      },
      'it is not a regular file',
    ],
    [
      'too large',
      (path) => writeFileSync(path, ' '.repeat(4 * 1024 ** 2 + 1)),
      'it is larger than the limit of 4194304 bytes',
    ],
  ])('that is %s is reported once, and again if asked', (_name, change, message) => {
    using polled = pollAfterStart();
    change(polled.path('file'));
    vi.advanceTimersByTime(10_000);
    expect(polled.events()).toEqual([message]);
    polled.file.readAgain();
    vi.advanceTimersByTime(10_000);
    expect(polled.events()).toEqual([message]);
    rmSync(polled.path('file'), { force: true });
    polled.write('old');
    vi.advanceTimersByTime(10_000);
    expect(polled.events()).toEqual(['old']);
  });

  it('is reported again if the reason changes', () => {
    using polled = pollAfterStart();
    rmSync(polled.path('file'));
    vi.advanceTimersByTime(10_000);
    symlinkSync('/dev/zero', polled.path('file'));
    vi.advanceTimersByTime(10_000);
    expect(polled.events()).toEqual([
      "ENOENT: no such file or directory, stat '/file'",
      'it is not a regular file',
    ]);
  });
});

describe('a reloadable file that names others', () => {
  it('is read when one of them changes, and only once all are complete', () => {
    using polled = pollAfterStart();
    polled.write('+one\n+two');
    polled.write('1', 'one');
    vi.advanceTimersByTime(5_000);
    expect(polled.events()).toEqual(["ENOENT: no such file or directory, stat '/two'"]);
    polled.write('!', 'two');
    vi.advanceTimersByTime(5_000);
    expect(polled.events()).toEqual(['mistake in 1\n!']);
    polled.write('2', 'two');
    vi.advanceTimersByTime(5_000);
    expect(polled.events()).toEqual(['1\n2']);
    polled.write('3', 'one');
    second();
    expect(polled.events()).toEqual([]);
    polled.write('4', 'two');
    vi.advanceTimersByTime(5_000);
    expect(polled.events()).toEqual(['3\n4']);
  });

  it('waits for a file that it names for the first time', () => {
    using polled = pollAfterStart();
    polled.write('+one');
    polled.write('ha', 'one');
    second();
    second();
    appendFileSync(polled.path('one'), 'lf');
    second();
    expect(polled.events()).toEqual([]);
    second();
    expect(polled.events()).toEqual(['half']);
  });

  it('no longer polls a file that it does not name any more', () => {
    using polled = pollAfterStart();
    polled.write('+one');
    polled.write('1', 'one');
    vi.advanceTimersByTime(5_000);
    polled.write('none');
    vi.advanceTimersByTime(5_000);
    polled.write('2', 'one');
    vi.advanceTimersByTime(5_000);
    expect(polled.events()).toEqual(['1', 'none']);
  });
});
