// Makes a copy of the compiled code in which files may be changed, with links to the rest of the repository, and runs
// tests in it.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Waiting of tests that are expected to fail, ms. */
const PATIENCE_MS = 5_000;
/** A process whose threads all sleep this long is waiting for something that does not happen. */
const IDLE_MS = 20_000;
const SAMPLE_MS = 500;
/** Milliseconds of a clock tick in /proc. */
const TICK_MS = 10;
/** The seed of property tests, as test/run-tests.mjs sets it: a run can be repeated. */
const { ADIT_TEST_SEED: seed = '20261122' } = process.env;

/** How a run of test files ended. */
export interface Outcome {
  readonly failed: boolean;
  /** Processor time. */
  readonly ms: number;
}

/** Returns processor time of a process, ms, and whether all its threads sleep; null after its end, or without /proc. */
function sample(pid: number): { readonly ms: number; readonly isIdle: boolean } | null {
  const fields = (file: string): string[] =>
    fs
      .readFileSync(file, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  try {
    const tasks = fs.readdirSync(`/proc/${pid}/task`).map((task) => fields(`/proc/${pid}/task/${task}/stat`));
    const ticks = fields(`/proc/${pid}/stat`).slice(11, 15).map(Number);
    return { ms: ticks.reduce((sum, one) => sum + one, 0) * TICK_MS, isIdle: tasks.every(([state]) => state === 'S') };
  } catch {
    return null;
  }
}

export class Scratch {
  readonly root = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-mutants-'));
  /** Folder for temporary files of tests, which failing ones leave behind. */
  readonly #temporary = path.join(this.root, 'tmp');
  #child: ChildProcess | null = null;

  /** @param repository its root, compiled */
  constructor(repository: string) {
    for (const name of fs.readdirSync(repository)) {
      if (name === '.git') continue;
      if (name === 'build') fs.cpSync(path.join(repository, name), path.join(this.root, name), { recursive: true });
      else fs.symlinkSync(path.join(repository, name), path.join(this.root, name));
    }
  }

  /**
   * Runs compiled test files in one process, and stops at the first failure. Slow is not wrong: limits are processor
   * time, and time in which nothing runs, so that other work on the machine fails no test.
   * @param files as in the repository, build/...
   * @param coverageDir V8 writes its records there
   */
  run(files: readonly string[], limitMs: number, coverageDir?: string): Promise<Outcome> {
    const args = files.map((file) => path.join(this.root, file));
    if (args.length > 1) args.unshift('--preserve-symlinks-main', path.join(this.root, 'test', 'run-batch.mjs'));
    fs.mkdirSync(this.#temporary, { recursive: true });
    return new Promise((resolve) => {
      const child = spawn(process.execPath, args, {
        cwd: this.root,
        stdio: 'ignore',
        env: {
          ...process.env,
          TMPDIR: this.#temporary,
          TAP: '1',
          TAP_TIMEOUT: '3600',
          TAP_BAIL: '1',
          ADIT_TEST_SEED: seed,
          ADIT_TEST_PATIENCE_MS: String(PATIENCE_MS),
          ADIT_TEST_UNBUNDLED: '1',
          ...(coverageDir === undefined ? {} : { NODE_V8_COVERAGE: coverageDir }),
        },
      });
      this.#child = child;
      let ms = 0;
      let idleMs = 0;
      const timer = setInterval(() => {
        const now = child.pid === undefined ? null : sample(child.pid);
        if (now === null) return;
        ms = now.ms;
        idleMs = now.isIdle ? idleMs + SAMPLE_MS : 0;
        if (ms > limitMs || idleMs > IDLE_MS) child.kill('SIGKILL');
      }, SAMPLE_MS);
      child.on('close', (code) => {
        clearInterval(timer);
        this.#child = null;
        this.#clean();
        resolve({ failed: code !== 0, ms: Math.max(ms, SAMPLE_MS) });
      });
    });
  }

  /** Ends the processes that a run left behind, such as daemons and commands, and removes its files. */
  #clean(): void {
    for (const pid of fs.existsSync('/proc') ? fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []) {
      try {
        if (fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(this.root)) process.kill(Number(pid), 'SIGKILL');
      } catch {
        // The process has ended, or belongs to another user.
      }
    }
    fs.rmSync(this.#temporary, { recursive: true, force: true, maxRetries: 5 });
  }

  remove(): void {
    this.#child?.kill('SIGKILL');
    this.#clean();
    fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}
