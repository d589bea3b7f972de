// Writes the tables of methods: what there is, and which run function each thread has for it. They follow from the files
// src/rpc/methods/CATEGORY/NAME.spec.ts and NAME.run.ts alone, so that adding a method is adding these two. The build
// calls it; a test holds the tables against the files.
import fs from 'node:fs';
import path from 'node:path';

/** @param {string} root of the project  @returns {{ file: string, text: string }[]} the tables as they ought to be */
export function methodTables(root) {
  const folder = path.join(root, 'src', 'rpc', 'methods');
  const methods = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.spec.ts'))
    .map((file) => readSpec(folder, file))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const contexts = {
    front: ['FrontContext', '../front/context.js'],
    node: ['NodeContext', '../context/node.js'],
    wallet: ['WalletContext', '../context/wallet.js'],
  };
  const head = '// Made by src/method-tables.mjs; a line a method.\n';
  const specs = [
    head,
    "import type { MethodSpec } from '../declare/types.js';\n",
    ...inOrder(methods).map(({ id, at }) => `import { ${id} } from './${at}.spec.js';\n`),
    '\n/** All declarations, by name. */\nexport const SPECS: readonly MethodSpec[] = [\n',
    ...methods.map(({ id }) => `  ${id},\n`),
    '];\n',
  ];
  const tables = Object.entries(contexts).map(([runs, [context, from]]) => {
    const own = methods.filter((method) => method.runs === runs);
    const text = [
      head,
      ...[`import type { ${context} } from '${from}';\n`, "import type { RunTable } from '../dispatch.js';\n"].sort(byPath),
      ...inOrder(own).map(({ id, at }) => `import { ${id} } from './${at}.run.js';\n`),
      `\n/** Run functions of methods declared with runs: '${runs}', by name. */\n`,
      `export const ${runs.toUpperCase()}_RUNS: RunTable<${context}> = {\n`,
      ...own.map(({ id, name }) => (id === name ? `  ${id},\n` : `  '${name}': ${id},\n`)),
      '};\n',
    ];
    return { file: path.join(folder, `${runs}-runs.ts`), text: text.join('') };
  });
  return [{ file: path.join(folder, 'specs.ts'), text: specs.join('') }, ...tables];
}

/** As the formatter has imports. */
const byPath = (a, b) => (a.split(' from ')[1] < b.split(' from ')[1] ? -1 : 1);
const inOrder = (methods) => [...methods].sort((a, b) => (a.at < b.at ? -1 : 1));

function readSpec(folder, file) {
  const text = fs.readFileSync(path.join(folder, file), 'utf8');
  const of = (pattern) => pattern.exec(text)?.[1] ?? '';
  const id = of(/^export const (\w+): MethodSpec = /m);
  const name = of(/^ {2}name: '([^']+)'/m);
  const category = of(/^ {2}category: '(\w+)'/m);
  const runs = of(/^ {2}runs: '(front|node|wallet)'/m);
  const at = file
    .split(path.sep)
    .join('/')
    .replace(/\.spec\.ts$/, '');
  if (!id || !name || !category || !runs) throw new Error(`src/rpc/methods/${file} lacks a name, a category or where it runs`);
  if (at !== `${category}/${id}`)
    throw new Error(`src/rpc/methods/${file} declares ${id} of ${category}: it belongs to ${category}/${id}.spec.ts`);
  return { id, name, at, runs };
}

/** Writes those that differ. */
export function writeMethodTables(root) {
  for (const { file, text } of methodTables(root)) {
    const before = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
    if (before !== text) fs.writeFileSync(file, text);
  }
}
