// Runs a real browser for tests of pages: Chromium without a window, controlled over its debugging pipe, so that tests
// see a page while its scripts run.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { until } from './until.js';

/** Path of the browser of this machine; undefined if there is none. */
export const browserProgram = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => spawnSync(name, ['--version']).status === 0);

interface Answer {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** A page in a browser process of its own. */
export class Browser {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #asked = 0;
  #session: string | undefined;

  private constructor(program: string) {
    this.#profile = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-browser-'));
    const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', `--user-data-dir=${this.#profile}`];
    this.#child = spawn(program, [...args, '--remote-debugging-pipe', 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    let rest = '';
    (this.#child.stdio[4] as Readable).setEncoding('utf8').on('data', (chunk: string) => {
      const messages = (rest + chunk).split('\0');
      rest = messages.pop() as string;
      for (const message of messages) {
        const answer = JSON.parse(message) as Answer;
        if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer);
      }
    });
  }

  /** Opens a page. @param program of `browserProgram` */
  static async open(program: string, url: string): Promise<Browser> {
    const browser = new Browser(program);
    const { targetId } = await browser.#ask('Target.createTarget', { url });
    const { sessionId } = await browser.#ask('Target.attachToTarget', { targetId, flatten: true });
    browser.#session = sessionId as string;
    return browser;
  }

  async #ask(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const id = ++this.#asked;
    const answer = await new Promise<Answer>((resolve) => {
      this.#waiting.set(id, resolve);
      (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId: this.#session })}\0`);
    });
    this.#waiting.delete(id);
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result ?? {};
  }

  /** Returns the value of an expression in the page. */
  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.#ask('Runtime.evaluate', { expression, returnByValue: true });
    return (result as { value?: unknown }).value;
  }

  /** Waits until an expression in the page is true. */
  shows(expression: string): Promise<void> {
    return until(`the page shows ${expression}`, async () => (await this.evaluate(expression)) === true);
  }

  /** Returns a picture of the page as PNG. @param width in pixels */
  async picture(width: number, height: number): Promise<Buffer> {
    await this.#ask('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    const { data } = await this.#ask('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data as string, 'base64');
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await ended;
    }
    // Processes of Chromium end a moment after it, and write into the profile until then, so retry.
    fs.rmSync(this.#profile, { recursive: true, force: true, maxRetries: 100, retryDelay: 20 });
  }
}
