// `pnpm check:prose` finds long comment lines, and phrases that people must read twice. For advice
// on how to reword a sentence, see "How we write" in CONTRIBUTING.md.

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Phrases that make a native reader stumble, each with advice on better wording. */
const PHRASES: readonly (readonly [phrase: RegExp, advice: string])[] = [
  [/(?:^|[.!?] )What (?!if\b)(?:[^ ]+ ){3,}[^?]*$/, 'begin with a noun or a verb'],
  [/\b(?:is|are) no (?!longer\b|more\b|such\b)/, 'write `is not a`'],
  [/\bstands?\b(?! (?:alone|between)\b)/, 'write `is`, `means` or `appears`'],
  [/\bnobody\b/i, 'write `no one`'],
  [/, too[.;,)]/, 'write `also`'],
  [/\b(?:but for|of which|all but)\b/, 'write `except`, or two sentences'],
  [/(?:\S+ ){40}/, 'write shorter sentences'],
  [
    /^\/\*\* ?(?:The same|As|At|By|For|From|In|Of|On|Over|To|With|Without|What|Where|Whether)\b/,
    'begin a docstring with a noun or a verb',
  ],
];

/** Returns the comments of a source file, each on one line. Docstrings keep their `/**`. */
const commentsIn = (source: string) =>
  (source.match(/\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm) ?? []).map((comment) =>
    comment
      .replaceAll(/^\s*(?:\*(?!\/)|\/\/)|\*\/$/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

/** Returns the paragraphs, list items and table cells of a document, without code blocks. */
const passagesIn = (document: string) =>
  document
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
    .split('\n')
    .flatMap((line) => (line.startsWith('|') ? line.split('|') : [line]))
    .map((text) => text.replace(/^\s*(?:[-*]|\d+\.) /, '').trim());

const LONG_LINE = /^(?=.{101})[ \t]*(?:\/?\*|\/\/)(?!.*biome-ignore).*/m;
const SOURCES = ['{packages,services,examples}/*/src/**/*.ts', '{dev,bench,e2e}/**/*.ts'];
const files = globSync([...SOURCES, '**/*.md'], { cwd: ROOT, exclude: ['**/node_modules'] });
const complain = (file: string, advice: string, passage: string) => {
  process.stderr.write(`${file}: ${advice}: "${passage.slice(0, 80)}"\n`);
  process.exitCode = 1;
};
for (const file of files) {
  const text = readFileSync(`${ROOT}/${file}`, 'utf8');
  const [long] = (file.endsWith('.ts') && LONG_LINE.exec(text)) || [];
  if (long !== undefined) complain(file, 'wrap comments at 100 columns', long.trim());
  for (const passage of file.endsWith('.md') ? passagesIn(text) : commentsIn(text)) {
    const sentences = passage.replaceAll(/`[^`]*`/g, 'code').replaceAll(/[:;] /g, '. ');
    for (const [phrase, advice] of PHRASES)
      if (sentences.split(/(?<=[.!?]) /).some((sentence) => phrase.test(sentence)))
        complain(file, advice, passage);
  }
}
