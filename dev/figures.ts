/**
 * Sizes of the source: files, named functions, line width, comments.
 *
 *   pnpm run figures [git-ref]   beside those of a commit, formatted as today
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';

const SOURCES = {
  'packages and services': ['{packages,services}/*/src/**/*.ts'],
  'all that is no test': [
    '{packages,services,examples}/*/{src,demo}/**/*.ts',
    '{bench,deploy,dev,e2e}/**/*.ts',
  ],
};
const AIMS = { file: 200, function: 40, functionP90: 18, widthP90: 85 };

interface Sized {
  readonly name: string;
  readonly lines: number;
}

const ref = process.argv[2];
const today = figures('.');
if (ref === undefined) console.table(today);
else {
  const before = formatted(ref);
  for (const [name, columns] of Object.entries(today)) {
    console.log(`\n${name}`);
    console.table({ [ref]: figures(before)[name], 'this tree': columns });
  }
  rmSync(before, { recursive: true });
}
for (const { name, lines } of tooLarge()) console.log(`${name}  ${lines} lines`);

/** The tree of a commit in a folder of its own, formatted with the rules of this one. */
function formatted(commit: string): string {
  const archive = spawnSync('git', ['archive', commit], { maxBuffer: 2 ** 28 });
  if (archive.status !== 0) {
    console.error(`\`${commit}\` names no commit of this repository.`);
    process.exit(1);
  }
  const folder = mkdtempSync(join(tmpdir(), 'figures-'));
  execFileSync('tar', ['-x', '-C', folder], { input: archive.stdout });
  execFileSync('git', ['init', '-q'], { cwd: folder });
  copyFileSync('biome.json', join(folder, 'biome.json'));
  const biome = join(process.cwd(), 'node_modules/.bin/biome');
  execFileSync(biome, ['format', '--write'], { cwd: folder, stdio: 'pipe' });
  return folder;
}

function figures(root: string): Record<string, Record<string, string | number>> {
  return Object.fromEntries(
    Object.entries(SOURCES).map(([name, globs]) => [name, columns(root, filesOf(root, globs))]),
  );
}

function columns(root: string, files: readonly string[]) {
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8'));
  const written = texts.flatMap(linesOf).filter((line) => line.trim() !== '');
  const comments = written.filter((line) => /^\s*(\/\/|\/\*|\*)/.test(line)).length;
  const functions = files.flatMap((file) => functionsOf(root, file));
  return {
    files: files.length,
    lines: texts.flatMap(linesOf).length,
    'of a file': spread(texts.map((text) => linesOf(text).length)),
    functions: functions.length,
    'of a function': spread(functions.map(({ lines }) => lines)),
    'width p90': quantile(
      written.map((line) => line.length),
      0.9,
    ),
    comments: `${Math.round((100 * comments) / written.length)} %`,
  };
}

function filesOf(root: string, globs: readonly string[]): string[] {
  const found = globs.flatMap((glob) => globSync(glob, { cwd: root }));
  return found
    .filter((file) => !/node_modules|\btests?\b|^packages.testing|\.d\.ts$/.test(file))
    .sort();
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** Declarations, methods, and functions that are assigned to a name. */
function functionsOf(root: string, file: string): Sized[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found: Sized[] = [];
  const add = (name: string, { start, end }: { readonly start: number; readonly end: number }) => {
    found.push({ name: `${file} ${name}`, lines: linesOf(text.slice(start, end)).length });
  };
  const named = (key: { readonly type: string; readonly name?: unknown }) => `${key.name ?? '?'}`;
  const isFunction = (type = '') => /^(ArrowFunction|Function)Expression$/.test(type);
  new Visitor({
    FunctionDeclaration: (node) => add(node.id?.name ?? 'default', node),
    MethodDefinition: (node) => add(named(node.key), node),
    PropertyDefinition: (node) => isFunction(node.value?.type) && add(named(node.key), node),
    Property: (node) => isFunction(node.value.type) && add(named(node.key), node),
    VariableDeclarator: (node) => isFunction(node.init?.type) && add(named(node.id), node),
  }).visit(parseSync(file, text).program);
  return found;
}

/** What exceeds the aims. */
function tooLarge(): Sized[] {
  const files = filesOf('.', SOURCES['all that is no test']);
  const long = files
    .map((name) => ({ name, lines: linesOf(readFileSync(name, 'utf8')).length }))
    .filter(({ lines }) => lines > AIMS.file);
  const functions = files.flatMap((file) => functionsOf('.', file));
  return [...long, ...functions.filter(({ lines }) => lines > AIMS.function)];
}

/** Median, 90th percentile, largest. */
function spread(values: readonly number[]): string {
  return [0.5, 0.9, 1].map((share) => quantile(values, share)).join(' / ');
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
