// Makes a copy of the compiled code in which files may be changed, with links to the rest of the repository, and runs
// tests in it.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Waiting of tests that are expected to fail, ms. */
const PATIENCE_MS = 5_000;

/** How a run of one test file ended. */
export interface Outcome {
  readonly failed: boolean;
  readonly ms: number;
}

export class Scratch {
  readonly root = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-mutants-'));
  #child: ChildProcess | null = null;

  /** @param repository its root, compiled */
  constructor(repository: string) {
    for (const name of fs.readdirSync(repository)) {
      if (name === '.git') continue;
      if (name === 'build') fs.cpSync(path.join(repository, name), path.join(this.root, name), { recursive: true });
      else fs.symlinkSync(path.join(repository, name), path.join(this.root, name));
    }
  }

  /** Runs a compiled test file. @param file as in the repository, build/... @param coverageDir V8's records go there */
  run(file: string, timeoutMs: number, coverageDir?: string): Promise<Outcome> {
    const began = performance.now();
    return new Promise((resolve) => {
      const child = spawn(process.execPath, [path.join(this.root, file)], {
        cwd: this.root,
        stdio: 'ignore',
        env: {
          ...process.env,
          TAP: '1',
          // Slow is not wrong: on a busy machine a test may take longer than tap's half minute.
          TAP_TIMEOUT: String(Math.ceil(timeoutMs / 1000)),
          TAP_BAIL: '1',
          ADIT_TEST_PATIENCE_MS: String(PATIENCE_MS),
          ...(coverageDir === undefined ? {} : { NODE_V8_COVERAGE: coverageDir }),
        },
      });
      this.#child = child;
      const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
      child.on('close', (code) => {
        clearTimeout(timer);
        this.#child = null;
        resolve({ failed: code !== 0, ms: performance.now() - began });
      });
    });
  }

  remove(): void {
    this.#child?.kill('SIGKILL');
    fs.rmSync(this.root, { recursive: true, force: true });
  }
}
