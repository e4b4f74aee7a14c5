// `pnpm generate` updates version numbers, openapi/ and JSON Schemas to match the code, and
// writes the text between `generated: …` and `end` comments. The command fails if a file mentions
// an unknown environment variable. `--check` lists outdated files without changing them.

import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DestinationFile, ProfileFile } from '@gatehouse/contracts';
import { BLOCKS } from './generated/blocks.ts';
import { OWN } from './generated/settings.ts';
import { openApiDocuments } from './openapi.ts';

const ROOT = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const BLOCK =
  /^( *)((?:<!--|#) generated: (.*?)(?: -->)?)\n(?:.*\n)*? *((?:<!--|#) end(?: -->)?)$/gm;

function fillBlocks(text: string): string {
  return text.replace(BLOCK, (_, indent: string, begin: string, name: string, end: string) => {
    const lines = BLOCKS[name];
    if (lines === undefined) throw new Error(`There is no block \`${name}\`.`);
    return [begin, ...lines, end].map((line) => indent + line).join('\n');
  });
}

/** Patterns that match version numbers. */
const VERSIONS = [
  /(?<=^ {2}"version": ")[^"]+/gm,
  /(?<=gatehouse-(?:policy|executor):|newTag: |^ARG VERSION=)\d+\.\d+\.\d[\w.-]*/gm,
];

const FILES = globSync(
  [
    '{README.md,.env.example,docker-compose.yml}',
    'Dockerfile*',
    'docs/*.md',
    'deploy/{compose,kubernetes,swarm,prometheus}/**/*.{md,yml,yaml,cfg}',
    '{packages,services,examples}/*/{package.json,Dockerfile,README.md}',
  ],
  { cwd: ROOT, exclude: ['**/node_modules'] },
);

/** Matches variables, such as `POLICY_PORT`, that look like a service's settings but are not. */
const FOREIGN = /^POLICY_(?:PORT|TOKEN|REPLICAS|PATHS|API_TOKEN|URL)$|^GATEWAY_(?:PORT|URL)$/;

const unknownSettings = (text: string) =>
  [...text.matchAll(/\b(?:POLICY|HTTP_EXECUTOR|GATEWAY)_[A-Z_]*[A-Z]\b/g)]
    .map(([name]) => name)
    .filter((name) => !FOREIGN.test(name) && !Object.values(OWN).some((specs) => name in specs));

const textIn = (file: string) =>
  existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '';

const filled = (file: string) =>
  VERSIONS.reduce((text, pattern) => text.replace(pattern, version), fillBlocks(textIn(file)));

const wanted = Object.entries({
  ...Object.fromEntries(FILES.map((file) => [file, filled(file)])),
  'packages/contracts/profile.schema.json': schemaOf(ProfileFile),
  'packages/contracts/destinations.schema.json': schemaOf(DestinationFile),
  ...(await openApiDocuments()),
});

/** Returns the JSON Schema of a configuration file, without our own `x-…` keywords. */
function schemaOf(file: object): string {
  const own = (key: string, value: unknown) => (key.startsWith('x-') ? undefined : value);
  return `${JSON.stringify(file, own, 2)}\n`;
}

const check = process.argv.includes('--check');
const complaints = wanted.flatMap(([file, text]) => {
  const unknown = unknownSettings(text).map((name) => `${file}: ${name} is not a setting.`);
  if (text === textIn(file)) return unknown;
  if (check) return [`${file} is stale: run \`npx -y pnpm@12 generate\`.`, ...unknown];
  writeFileSync(join(ROOT, file), text);
  return unknown;
});
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
if (complaints.length > 0) process.exitCode = 1;
else console.log(`${wanted.length} files are up to date.`);
