// Commands of the operator: what is put into them, and how many wait.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import type { Logger } from '../../../src/log/logger.js';
import { Hooks, quoted } from '../../../src/notify/hooks.js';
import { temporaryFolder } from '../../framework/chain-fixture.js';
import { until } from '../../framework/until.js';

t.test('texts are one word for the shell', async (t) => {
  t.equal(quoted('it\'s $(rm -rf /) `x` "y" & 1;2 |<>\n'), "'its (rm -rf /) x y  1;2 '");
  t.equal(quoted('Warning: a-b_c/d?e@f(g), h.'), "'Warning: a-b_c/d?e@f(g), h.'");
});

t.test('eight run at a time, a bounded number waits, the oldest are left out', async (t) => {
  const dir = temporaryFolder();
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const warnings: string[] = [];
  const infos: string[] = [];
  const log = { warn: (text: string) => warnings.push(text), info: (text: string) => infos.push(text) } as unknown as Logger;
  const hooks = new Hooks(log, 3);
  t.teardown(() => hooks.close());
  // They run until there is a file.
  const command = `touch ${dir}/begun-%s; while [ ! -e ${dir}/go ]; do sleep 0.02; done; touch ${dir}/done-%s`;
  for (let i = 1; i <= 11; i++) hooks.run('blocknotify', command, String(i));
  t.same(warnings, [], 'eight run, three wait');
  for (const i of [12, 13]) hooks.run('blocknotify', command, String(i));
  t.same(warnings, ['-blocknotify: commands take longer than they come; the oldest ones are left out']);
  const files = (head: string): number[] =>
    fs
      .readdirSync(dir)
      .filter((name) => name.startsWith(head))
      .map((name) => Number(name.slice(head.length)))
      .sort((a, b) => a - b);
  await until('eight commands', () => files('begun-').length >= 8);
  t.same(files('begun-'), [1, 2, 3, 4, 5, 6, 7, 8]);
  fs.writeFileSync(path.join(dir, 'go'), '');
  await until('all commands', () => files('done-').length === 11);
  t.same(files('done-'), [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13], '9 and 10 were the oldest that waited');
  t.same(infos, []);
  hooks.run('blocknotify', 'exit 7');
  await until('a failure', () => infos.length > 0);
  t.same(infos, ['runCommand error: system(exit 7) returned 7']);
});
