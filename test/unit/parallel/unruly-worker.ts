// A pool entry for worker-threads.test.ts. The variable ADIT_TEST_UNRULY, which a thread gets from the process that
// starts it, names a folder: a file `exits` there ends the thread while it loads, and each thread that has loaded, and
// each that stalls, leaves a file.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessagePort, threadId } from 'node:worker_threads';

const dir = process.env.ADIT_TEST_UNRULY ?? '/nonexistent';
// Long enough that a job which is requested meanwhile has to wait.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
if (existsSync(join(dir, 'exits'))) process.exit(7);
writeFileSync(join(dir, `loaded-${threadId}`), '');

const { postMessage } = MessagePort.prototype;

/** Behaviour of a job's thread. */
export type Unruly = 'answers' | 'exits' | 'stalls' | 'answers twice';

function run(how: Unruly): string {
  if (how === 'exits') process.exit(8);
  if (how === 'stalls') writeFileSync(join(dir, 'stalls'), '');
  if (how === 'stalls') for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  if (how === 'answers twice') {
    MessagePort.prototype.postMessage = function (this: MessagePort, ...message: Parameters<typeof postMessage>) {
      MessagePort.prototype.postMessage = postMessage;
      postMessage.apply(this, message);
      postMessage.apply(this, message);
    };
  }
  return how;
}

/** Works until the file `stalls` is removed. */
function verifyShare(): string {
  writeFileSync(join(dir, 'stalls'), '');
  while (existsSync(join(dir, 'stalls'))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  return 'has worked';
}

export { run as assemble, run as assembleBeside, run as forgetBeside, run as verify, verifyShare };
