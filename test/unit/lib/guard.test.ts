// The guard of calls that Node makes, the scheduler that uses it, and a console that is gone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import t from 'tap';
import { guarded } from '../../../src/lib/guard.js';
import { Scheduler } from '../../../src/lib/scheduler.js';

t.test('hands over what a task throws, an error or not', async (t) => {
  const reported: string[] = [];
  const report = (error: Error) => void reported.push(error.message);
  guarded((text: string) => {
    throw new Error(text);
  }, report)('one');
  guarded(() => {
    throw 'two';
  }, report)();
  guarded(() => {}, report)();
  t.same(reported, ['one', 'two']);
});

t.test('runs the other tasks, and the one that threw again, after a task threw', async (t) => {
  const reported: string[] = [];
  const ran: string[] = [];
  const scheduler = new Scheduler((error) => void reported.push(error.message));
  t.teardown(() => scheduler.close());
  scheduler.every(1_000_000, () => {
    ran.push('first');
    throw new Error('no');
  });
  scheduler.every(1_000_000, () => void ran.push('second'));
  scheduler.advance(1_000);
  scheduler.advance(1_000);
  t.same(ran, ['first', 'second', 'first', 'second']);
  t.same(reported, ['no', 'no']);
});

t.test('a process goes on when nobody reads its console', async (t) => {
  const guard = path.resolve(import.meta.dirname, '../../../src/lib/guard.js');
  const script = `
    import fs from 'node:fs';
    import { outliveConsole } from ${JSON.stringify(guard)};
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
