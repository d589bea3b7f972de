// A process whose console is gone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import t from 'tap';

t.test('a process keeps running when nothing reads its console', async (t) => {
  const module = path.resolve(import.meta.dirname, '../../../src/lib/console.js');
  const script = `
    import fs from 'node:fs';
    import { outliveConsole } from ${JSON.stringify(module)};
    if (process.argv[1] === 'guarded') outliveConsole();
    process.stdin.once('data', () => {
      let left = 3;
      const next = () => {
        process.stdout.write('out');
        process.stderr.write('err');
        if (left-- > 0) setImmediate(next);
        else {
          fs.writeSync(3, 'alive');
          process.exit(0);
        }
      };
      next();
    });`;
  const run = async (how: string): Promise<[status: number, said: string]> => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, how], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
    let said = '';
    child.stdio[3]?.on('data', (bytes: Buffer) => {
      said += bytes.toString();
    });
    child.stdout.destroy();
    child.stderr.destroy();
    child.stdin.end('go');
    const [status] = await once(child, 'close');
    return [status, said];
  };
  t.same(await run('guarded'), [0, 'alive']);
  t.same((await run('bare'))[1], '', 'the fault that is guarded against');
});
