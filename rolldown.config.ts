import { cpSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Plugin, RolldownOptions } from 'rolldown';

// Bundles the service in the working directory.

const DIST = 'dist';

/** Files to copy from packages that read these files or run them as threads. */
const FILES = {
  '@fastify/swagger': ['package.json'],
  '@fastify/swagger-ui': ['static/*'],
};

/** Returns the name and folder of the package to which a module in `node_modules` belongs. */
function packageOf(id: string): { name: string; root: string } | undefined {
  const [, root, name] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(id) ?? [];
  return root === undefined || name === undefined ? undefined : { name, root };
}

/**
 * Replaces `__dirname` in a package with its folder under `dist/files`, to which its `FILES` are
 * copied. Source maps omit packages, because Node keeps source maps in memory.
 */
const packages: Plugin = {
  name: 'packages',
  buildStart: () => rmSync(DIST, { recursive: true, force: true }),
  transform(code, id) {
    const { name, root } = packageOf(id) ?? {};
    if (name === undefined || root === undefined) return undefined;
    for (const pattern of FILES[name as keyof typeof FILES] ?? []) {
      for (const file of globSync(pattern, { cwd: root })) {
        cpSync(join(root, file), join(DIST, 'files', name, file));
      }
    }
    const folder = JSON.stringify(join('/files', name, relative(root, dirname(id))));
    return {
      code: code.replaceAll(/\b__dirname\b/g, `(import.meta.dirname + ${folder})`),
      map: { mappings: '' },
    };
  },
};

/**
 * Bundles each worker thread as a separate program. Modules refer to the thread in `x.ts` as
 * `./x${extname(import.meta.url)}`.
 */
const threads: Plugin = {
  name: 'threads',
  transform(code, id) {
    for (const [, name] of code.matchAll(/`\.\/([\w-]+)\$\{extname\(import\.meta\.url\)\}`/g)) {
      const fileName = `${name}.mjs`;
      const source = join(dirname(id), `${name}.ts`);
      this.emitFile({ type: 'chunk', id: source, fileName, preserveSignature: 'strict' });
    }
  },
};

/** Program that runs the bundle, in syntax that older versions of Node also understand. */
const MAIN = `import module from 'node:module';

await import('./node-version.mjs').catch(({ message }) => {
  console.error(message);
  process.exit(1);
});
// By default, SIGHUP would end the process, even if a reload is requested while the service starts.
process.on('SIGHUP', () => {});
process.setSourceMapsEnabled(true);
module.enableCompileCache(import.meta.dirname + '/cache');
await import('./service.mjs');
`;

/** Module that fails on a version of Node that is too old. */
const NODE_VERSION = join(import.meta.dirname, 'packages/contracts/src/node-version.ts');

/** Writes `main.mjs`, and `NOTICE` with the licences of all bundled packages. */
const surroundings: Plugin = {
  name: 'surroundings',
  buildStart() {
    this.emitFile({ type: 'chunk', id: NODE_VERSION, fileName: 'node-version.mjs' });
  },
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'main.mjs', source: MAIN });
    const packages = new Map<string, string>();
    for (const id of this.getModuleIds()) {
      const { name, root } = packageOf(id) ?? {};
      if (name !== undefined && root !== undefined) packages.set(name, root);
    }
    const texts = [...packages].sort().map(([name, root]) => {
      const files = globSync('{licen[cs]e,LICEN[CS]E}*', { cwd: root });
      return [name, ...files.map((file) => readFileSync(join(root, file), 'utf8'))].join('\n\n');
    });
    this.emitFile({
      type: 'asset',
      fileName: 'NOTICE',
      source: texts.join(`\n${'-'.repeat(80)}\n`),
    });
  },
};

export default {
  input: { service: 'src/main.ts' },
  platform: 'node',
  // Turns off the warning about slow builds, because `onwarn` would otherwise make a build on a busy
  // machine fail.
  checks: { bundlerTimings: false },
  onwarn: (warning) => {
    throw new Error(warning.message);
  },
  plugins: [packages, threads, surroundings],
  output: {
    dir: DIST,
    entryFileNames: '[name].mjs',
    chunkFileNames: '_[name].mjs',
    sourcemap: true,
    minify: { mangle: false, compress: false, codegen: true },
  },
} satisfies RolldownOptions;
