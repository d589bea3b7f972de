// Commands of the operator: what is put into them, and how many wait.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import type { Logger } from '../../../src/log/logger.js';
import { Hooks, quoted, runCommands } from '../../../src/notify/hooks.js';
import { temporaryFolder } from '../../framework/chain-fixture.js';
import { until } from '../../framework/until.js';

t.test('quotes text as one word for the shell', async (t) => {
  t.equal(quoted('it\'s $(rm -rf /) `x` "y" & 1;2 |<>\n'), "'its (rm -rf /) x y  1;2 '");
  t.equal(quoted('Warning: a-b_c/d?e@f(g), h.'), "'Warning: a-b_c/d?e@f(g), h.'");
});

/** A folder for the files that commands make, and what they make the log say. */
function begin(t: { teardown(end: () => unknown): void }) {
  const dir = temporaryFolder();
  t.teardown(() => fs.rmSync(dir, { recursive: true, force: true }));
  const warnings: string[] = [];
  const infos: string[] = [];
  const log = { warn: (text: string) => warnings.push(text), info: (text: string) => infos.push(text) } as unknown as Logger;
  t.teardown(() => fs.writeFileSync(path.join(dir, 'go'), ''));
  return {
    log,
    warnings,
    infos,
    /** Runs until letGo(). */
    command: `touch ${dir}/begun-%s; while [ -e ${dir} -a ! -e ${dir}/go ]; do sleep 0.02; done; touch ${dir}/done-%s`,
    letGo: () => fs.writeFileSync(path.join(dir, 'go'), ''),
    files: (head: string): string[] =>
      fs
        .readdirSync(dir)
        .filter((name) => name.startsWith(head))
        .map((name) => name.slice(head.length))
        .sort((a, b) => Number(a) - Number(b)),
  };
}

t.test('limits running and waiting commands, and drops the oldest beyond the limit', async (t) => {
  const { log, warnings, infos, command, letGo, files } = begin(t);
  const hooks = new Hooks(log, { quick: 8, slowMs: 1e9, waiting: 3 });
  t.teardown(() => hooks.close());
  for (let i = 1; i <= 11; i++) hooks.run('blocknotify', command, String(i));
  t.same(warnings, [], 'eight run, three wait');
  for (const i of [12, 13]) hooks.run('blocknotify', command, String(i));
  const said = '-blocknotify: 8 commands are running and 3 are waiting. The node drops the oldest ones, first: touch ';
  t.same([warnings.length, warnings[0]?.slice(0, said.length)], [1, said]);
  t.match(warnings[0], /begun-9;/);
  await until('eight commands', () => files('begun-').length >= 8);
  t.same(files('begun-'), ['1', '2', '3', '4', '5', '6', '7', '8']);
  letGo();
  await until('all commands', () => files('done-').length === 11);
  t.same(files('done-'), ['1', '2', '3', '4', '5', '6', '7', '8', '11', '12', '13'], '9 and 10 were the oldest that waited');
  await until('how many were left out', () => warnings.length === 2);
  t.equal(warnings[1], '-blocknotify: 2 commands were dropped because too many were running.');
  t.same(infos, []);
  hooks.run('blocknotify', 'exit 7');
  await until('a failure', () => infos.length > 0);
  t.same(infos, ['runCommand error: system(exit 7) returned 7']);
});

t.test('hanging commands delay neither later commands nor those of other options', async (t) => {
  const { log, command, files, warnings } = begin(t);
  const hooks = new Hooks(log, { quick: 2, slowMs: 1, running: 5 });
  t.teardown(() => hooks.close());
  for (let i = 1; i <= 7; i++) hooks.run('blocknotify', command, String(i));
  hooks.run('alertnotify', command, '8');
  await until('all that may run', () => files('begun-').length === 6);
  t.same(files('begun-'), ['1', '2', '3', '4', '5', '8']);
  t.same(warnings, []);
});

t.test('runCommands waits for the last command, a failing one too', async (t) => {
  const { log, infos, command, letGo, files } = begin(t);
  let over = false;
  const running = runCommands([command.replaceAll('%s', '1'), 'exit 5'], log).then(() => {
    over = true;
  });
  await until('both', () => infos.length === 1 && files('begun-').length === 1);
  t.equal(over, false);
  letGo();
  await running;
  t.same(files('done-'), ['1']);
  t.same(infos, ['runCommand error: system(exit 5) returned 5']);
});

t.test('logs a command that cannot be started, and runs the next one', async (t) => {
  const { log, infos, files, command, letGo } = begin(t);
  const hooks = new Hooks(log);
  t.teardown(() => hooks.close());
  letGo();
  hooks.run('blocknotify', 'echo \0', '');
  t.match(infos, [/^runCommand error: system\(echo \0\) returned .*null bytes/]);
  hooks.run('blocknotify', command, '1');
  await until('the next command', () => files('done-').includes('1'));
  await runCommands(['echo \0', 'true'], log);
  t.equal(infos.length, 2);
});
