// `pnpm check:prose` reads comments and documents as a hurried reader does, and complains about
// habits that cost a second reading. CONTRIBUTING, "How we write", says what to write instead.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Phrases that a native reader stumbles over, and the advice for each. */
const PHRASES: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/(?:^|[.!?] )What (?!if\b)(?:[^ ]+ ){3,}[^?]*$/, 'begin with a noun or a verb, not with `What`'],
  [/\b(?:is|are) no (?!longer\b|more\b|such\b)/, 'write `is not a`'],
  [/\bstands?\b(?! (?:alone|between)\b)/, 'say what it does: `is`, `means`, `appears`'],
  [/\bnobody\b/i, 'write `no one`, or name who'],
  [/, too[.;,)]/, 'write `also`'],
  [/\b(?:but for|of which|in force of|all but)\b/, 'write `except`, or two sentences'],
];

/** A docstring begins with the noun or verb that it describes. */
const WEAK_START =
  /^(?:The same|As|At|By|For|From|In|Into|Of|On|Over|To|Under|With|Within|Without|What|Where|Whether)\b/;

const MAX_WORDS = 40;

interface Passage {
  readonly line: number;
  readonly text: string;
  readonly docstring: boolean;
}

/** Comments of a source file: blocks, and runs of `//` lines. */
function commentsIn(source: string): Passage[] {
  return [...source.matchAll(/\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm)].map((match) => ({
    line: source.slice(0, match.index).split('\n').length,
    docstring: match[0].startsWith('/**'),
    text: match[0]
      .replaceAll(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  }));
}

/** Paragraphs, list items and table cells of a Markdown document, without code. */
function paragraphsIn(markdown: string): Passage[] {
  let fenced = false;
  return markdown.split('\n').flatMap((text, index) => {
    if (text.trimStart().startsWith('```')) fenced = !fenced;
    const cells = text.startsWith('|')
      ? text.split('|')
      : [text.replace(/^\s*(?:[-*]|\d+\.) /, '')];
    return fenced
      ? []
      : cells.map((cell) => ({ line: index + 1, text: cell.trim(), docstring: false }));
  });
}

function complaintsAbout({ text, docstring }: Passage): string[] {
  const plain = text.replaceAll(/`[^`]*`/g, 'code');
  const found = PHRASES.flatMap(([pattern, advice]) => {
    const match = pattern.exec(plain);
    return match === null ? [] : [`${advice}: "${match[0].trim().slice(0, 60)}"`];
  });
  const weak = docstring ? WEAK_START.exec(plain) : null;
  if (weak !== null) found.push(`begin a docstring with a noun or a verb, not "${weak[0]}"`);
  const long = plain.split(/(?<=[.!?:;])\s/).find((one) => one.split(' ').length > MAX_WORDS);
  if (long !== undefined) found.push(`more than ${MAX_WORDS} words: "${long.slice(0, 60)} …"`);
  return found;
}

const files = globSync(
  ['{packages,services,examples}/*/src/**/*.ts', '{dev,bench,e2e}/**/*.ts', '**/*.md'],
  { cwd: ROOT, exclude: ['**/node_modules', '**/dist', '.stryker-tmp'] },
);
const complaints = files.flatMap((file) => {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const passages = file.endsWith('.md') ? paragraphsIn(source) : commentsIn(source);
  return passages.flatMap((passage) =>
    complaintsAbout(passage).map((complaint) => `${file}:${passage.line}: ${complaint}`),
  );
});
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
if (complaints.length > 0) process.exitCode = 1;
else console.log(`${files.length} files read well.`);
