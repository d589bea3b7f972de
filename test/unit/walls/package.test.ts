// The package of `npm pack` has everything that an installed node needs, and nothing else: every file that the commands
// and the threads import is in it, and every package that they import is installed with it.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import t from 'tap';

const root = path.resolve(import.meta.dirname, '../../../..');
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  bin: Record<string, string>;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  /** Optional packages that a user installs by hand if there is no binary for the system. */
  peerDependencies: Record<string, string>;
};

/** Paths of the package's files, relative to the root. */
function packed(): Set<string> {
  const done = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (done.status !== 0) throw new Error(`npm pack: ${done.stderr}`);
  const report = JSON.parse(done.stdout) as { files: { path: string }[] }[] | Record<string, { files: { path: string }[] }>;
  return new Set(Object.values(report)[0].files.map((file) => file.path));
}

/**
 * Returns the modules that a bundled file names: require(), require.resolve(), import(), and files of threads in new
 * URL().
 */
const named = (source: string): string[] =>
  [...source.matchAll(/\b(?:require|require\.resolve|import|URL)\(["']([^"']+)["'][,)]/g)].map(([, name]) => name!);

/** Returns everything that compiled files reach from `entries`, by imports and by the files of threads that they name. */
function reached(entries: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    if (!file.endsWith('js')) continue;
    for (const name of named(fs.readFileSync(path.join(root, file), 'utf8'))) {
      if (name.includes('://')) continue;
      if (name.startsWith('.')) open.push(path.join(path.dirname(file), name));
      else if (!name.startsWith('node:') && !builtinModules.includes(name)) {
        packages.add(name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
      }
    }
  }
  return { files, packages };
}

const files = packed();

t.test('the package contains all files and dependencies that an installed node imports', async (t) => {
  const needs = reached(Object.values(manifest.bin));
  t.ok(needs.files.size > 10, `${needs.files.size} files`);
  t.ok(
    [...needs.files].some((file) => file.startsWith('build/bundle/workers/')),
    'threads as well',
  );
  t.same(
    [...needs.files].filter((file) => !files.has(file)),
    [],
    'no file is missing',
  );
  const installed = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies };
  t.same(
    [...needs.packages].filter((name) => !(name in installed)),
    [],
    'no package is missing',
  );
});

t.test('the package contains no sources, tests or benches', async (t) => {
  t.same(
    [...files].filter((file) => /\.(ts|map)$/.test(file) || /(^|\/)(test|bench)\//.test(file)),
    [],
  );
  for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md', 'docs/systemd/aditd.service']) t.ok(files.has(file), file);
  t.ok(
    [...files].some((file) => file.startsWith('grafana/')),
    'dashboards',
  );
});

t.test('every npm script that a page names exists', async (t) => {
  const pages = [...fs.readdirSync(root), ...fs.readdirSync(path.join(root, 'docs')).map((name) => path.join('docs', name))];
  const text = pages.filter((name) => name.endsWith('.md')).map((name) => fs.readFileSync(path.join(root, name), 'utf8'));
  const wanted = new Set([...text.join('\n').matchAll(/npm run (?:--silent )?([a-z:-]+)/g)].map(([, name]) => name!));
  t.ok(wanted.size > 10, `${wanted.size} scripts`);
  t.same(
    [...wanted].filter((name) => !(name in manifest.scripts)),
    [],
  );
});
