// Runs Bitcoin Core's script interpreter in its own process: interpreter.cpp, linked with the libraries of a source
// tree that was built, 0.21 (autotools) or a later one (cmake).
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const SOURCE = path.resolve(import.meta.dirname, '../../../test/compare/interpreter.cpp');

/** Header folders and libraries for the compiler, the libraries in linking order. */
const TREES = [
  {
    mark: 'build/lib/libbitcoin_consensus.a',
    options: ['-std=c++20'],
    includes: ['src', 'build/src'],
    libraries: ['build/lib/libbitcoin_crypto.a', 'build/lib/libbitcoin_util.a', 'build/src/secp256k1/lib/libsecp256k1.a'],
  },
  {
    mark: 'src/libbitcoin_consensus.a',
    // Core's headers use standard headers without including them. Older compilers included them indirectly.
    options: ['-std=c++17', '-DHAVE_CONFIG_H', ...['cstdint', 'limits', 'stdexcept'].flatMap((header) => ['-include', header])],
    includes: ['src', 'src/secp256k1/include'],
    libraries: [
      ...['base', 'sse41', 'avx2', 'shani'].map((part) => `src/crypto/libbitcoin_crypto_${part}.a`),
      'src/secp256k1/.libs/libsecp256k1.a',
    ],
  },
] as const;

/** Builds the program. @param core the source tree @returns the program, in a new folder */
function buildFilter(core: string): string {
  const tree = TREES.find(({ mark }) => fs.existsSync(path.join(core, mark)));
  if (tree === undefined) throw new Error(`no library of the interpreter is built in ${core}`);
  const program = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-interpreter-')), 'filter');
  const { status, stderr } = spawnSync(
    'c++',
    [
      ...['-O2', '-w', ...tree.options, '-o', program, SOURCE, ...tree.includes.map((folder) => `-I${path.join(core, folder)}`)],
      ...['-Wl,--start-group', ...[tree.mark, ...tree.libraries].map((file) => path.join(core, file)).filter(fs.existsSync)],
      ...['-Wl,--end-group', '-lpthread'],
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the filter does not compile: ${stderr}`);
  return program;
}

export class CoreInterpreter {
  /** Texts of errors, by their codes. */
  texts: readonly string[] = [];
  readonly #program: string;
  readonly #child: ChildProcess;
  readonly #waiting: { resolve(answer: Buffer): void; reject(error: Error): void }[] = [];
  #read = Buffer.alloc(0);
  #over: Error | null = null;

  private constructor(program: string) {
    this.#program = program;
    this.#child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout!.on('data', (chunk: Buffer) => this.#received(chunk));
    // The exit of the process reports the reason.
    this.#child.stdin!.on('error', () => undefined);
    this.#child.on('exit', (code, signal) => {
      this.#over = new Error(`bitcoind's interpreter ended: ${code ?? signal}`);
      for (const { reject } of this.#waiting.splice(0)) reject(this.#over);
    });
  }

  /** @throws if the program can't be built */
  static async start(core: string): Promise<CoreInterpreter> {
    const interpreter = new CoreInterpreter(buildFilter(core));
    interpreter.texts = (await interpreter.#answer()).toString().trimEnd().split('\n');
    return interpreter;
  }

  /**
   * Batches are answered in order.
   * @param spends in the format that interpreter.cpp reads
   * @returns a code for each set of flags
   */
  judge(spends: Buffer): Promise<Buffer> {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(spends.length);
    this.#child.stdin!.write(size);
    this.#child.stdin!.write(spends);
    return this.#answer();
  }

  end(): void {
    this.#child.stdin!.end();
    fs.rmSync(path.dirname(this.#program), { recursive: true, force: true });
  }

  #answer(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#over !== null) reject(this.#over);
      else this.#waiting.push({ resolve, reject });
    });
  }

  #received(chunk: Buffer): void {
    this.#read = Buffer.concat([this.#read, chunk]);
    while (this.#read.length >= 4 && this.#read.length >= 4 + this.#read.readUInt32LE(0)) {
      const end = 4 + this.#read.readUInt32LE(0);
      this.#waiting.shift()!.resolve(this.#read.subarray(4, end));
      this.#read = this.#read.subarray(end);
    }
  }
}
