// A process that works one millisecond in twenty and nothing else: how late its event loop is in a window is what the
// machine does to a thread, whatever the node does. The soak measures the node's loop against it.
import { type ChildProcess, fork } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { LAG_STEP_MS } from '../../src/lib/loop-lag.js';

const PERIOD_MS = 20;
const WORK_MS = 1;

export class Bystander {
  readonly #child: ChildProcess = fork(import.meta.filename, ['--stand-by'], { stdio: 'inherit' });

  /** Milliseconds that its loop was late in the time since the last look: 99 of 100 times it was less. */
  look(): Promise<number> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error('the bystander ended'));
      this.#child.once('exit', ended);
      this.#child.once('message', (ms: number) => {
        this.#child.off('exit', ended);
        resolve(ms);
      });
      this.#child.send('look');
    });
  }

  end(): void {
    this.#child.kill();
  }
}

function standBy(): void {
  const delay = monitorEventLoopDelay({ resolution: LAG_STEP_MS });
  delay.enable();
  setInterval(() => {
    for (const end = performance.now() + WORK_MS; performance.now() < end; );
  }, PERIOD_MS);
  process.on('message', () => {
    process.send?.(Math.max(0, delay.percentile(99) / 1e6 - LAG_STEP_MS));
    delay.reset();
  });
  process.on('disconnect', () => process.exit(0));
}

if (process.argv[2] === '--stand-by') standBy();
