// Runs the command of -signer: without a shell, one at a time, with limits for time and output.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { SerialQueue } from '../lib/serial-queue.js';
import { type RunForJson, SignerError } from '../wallet/node-face.js';

/** Time limit in milliseconds, because a device may wait for a button press. */
export const SIGNER_TIMEOUT_MS = 300_000;
/** Largest output in bytes. A PSBT with the transactions that it spends may be large. */
export const MOST_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Number of characters of an invalid answer in the message. */
const MOST_SHOWN = 1000;
/** Number of bytes of stderr that are kept. */
const MOST_COMPLAINT_BYTES = 4096;

/** Returns why a process could not be started, in the system's words. */
function systemText(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'No such file or directory';
  if (error.code === 'EACCES') return 'Permission denied';
  return error.message;
}

const firstLine = (chunks: readonly Buffer[]): string => {
  const all = Buffer.concat(chunks);
  const end = all.indexOf(10);
  return all.toString('utf8', 0, end < 0 ? all.length : end);
};

/**
 * Creates the function that runs commands.
 * @param stopping ends a running command
 */
export function createRunForJson(stopping: AbortSignal, timeoutMs = SIGNER_TIMEOUT_MS, mostBytes = MOST_OUTPUT_BYTES): RunForJson {
  const queue = new SerialQueue();
  return (words, input) => queue.run(() => runOnce(words, input, { stopping, timeoutMs, mostBytes }));
}

interface Bounds {
  readonly stopping: AbortSignal;
  readonly timeoutMs: number;
  readonly mostBytes: number;
}

function runOnce(words: readonly string[], input: string, { stopping, timeoutMs, mostBytes }: Bounds): Promise<unknown> {
  const failed = (why: string): SignerError => new SignerError(`RunCommandParseJSON error: process(${words.join(' ')}) ${why}`);
  return new Promise((resolve, reject) => {
    const [program, ...args] = words;
    if (program === undefined) return reject(new SignerError('no command'));
    let child: ChildProcessWithoutNullStreams;
    try {
      // The command gets its own process group, so that its child processes end with it.
      child = spawn(program, args, { shell: false, windowsHide: true, detached: process.platform !== 'win32' });
    } catch (error) {
      return reject(failed((error as Error).message));
    }
    let ended = '';
    const end = (why: string): void => {
      ended ||= why;
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        child.kill('SIGKILL');
      }
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const timer = setTimeout(() => end(`did not end in ${timeoutMs / 1000} s`), timeoutMs);
    const onStop = (): void => end('was ended: the node stops');
    stopping.addEventListener('abort', onStop, { once: true });
    const out: Buffer[] = [];
    const complaints: Buffer[] = [];
    let outBytes = 0;
    let complaintBytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      outBytes += chunk.length;
      if (outBytes <= mostBytes) out.push(chunk);
      else end(`printed more than ${mostBytes} bytes`);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complaintBytes += chunk.length;
      if (complaintBytes <= MOST_COMPLAINT_BYTES) complaints.push(chunk);
    });
    // A command that does not read stdin closes it, which is no error.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', (error: NodeJS.ErrnoException) => reject(new SignerError(`execve failed: ${systemText(error)}`)));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      stopping.removeEventListener('abort', onStop);
      if (ended !== '') return reject(failed(ended));
      const status = code ?? -(constants.signals[signal ?? 'SIGKILL'] ?? 1);
      if (status !== 0) return reject(failed(`returned ${status}: ${firstLine(complaints)}\n`));
      const text = firstLine(out);
      try {
        resolve(JSON.parse(text));
      } catch {
        reject(new SignerError(`Unable to parse JSON: ${text.slice(0, MOST_SHOWN)}`));
      }
    });
  });
}
