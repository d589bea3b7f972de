// A daemon's life as the disk saw it: the layer is built and put below the daemon, and what it wrote down is kept with
// what the daemon acknowledged meanwhile.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Daemon } from '../framework/daemon.js';
import { Disk, type Seen, see } from './disk.js';
import { type Change, readJournal, say } from './journal.js';

const SOURCE = path.resolve(import.meta.dirname, '../../../test/power/shim.c');
/** Longest fsync: acknowledgements that do not wait for one come before its end. */
const SYNC_US = 6_000;
/** Files that the test itself has the daemon write: its output. */
const OURS: ReadonlySet<string> = new Set(['stdout.log']);

/** Why the layer can't be built here; undefined when it can. */
export function unbuildable(): string | undefined {
  const able = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
  return able ? undefined : 'needs a C compiler on Linux';
}

/** Builds the layer. @returns the library, in a folder of its own */
export function buildShim(): string {
  const library = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-shim-')), 'shim.so');
  const { status, stderr } = spawnSync('cc', ['-O2', '-Wall', '-shared', '-fPIC', '-o', library, SOURCE, '-ldl', '-lpthread'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the layer does not compile: ${stderr}`);
  return library;
}

/** A life that is over. */
export interface Recording {
  readonly seen: Seen;
  readonly changes: readonly Change[];
}

/** A daemon above the layer. */
export class Recorder {
  readonly node: Daemon;
  readonly #journal: string;
  readonly #seen: Seen;

  private constructor(node: Daemon, shim: string) {
    this.node = node;
    this.#journal = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'adit-journal-')), 'journal');
    node.env = {
      LD_PRELOAD: shim,
      POWER_ROOT: node.dir,
      POWER_JOURNAL: this.#journal,
      POWER_SYNC_US: String(SYNC_US),
      UV_USE_IO_URING: '0',
    };
    this.#seen = see(node.dir);
    // A story that fails leaves no daemon behind.
    process.once('exit', () => node.child?.kill('SIGKILL'));
  }

  /** A daemon over a copy of a folder, which is not started yet. */
  static async over(folder: string, shim: string, options: readonly string[]): Promise<Recorder> {
    return new Recorder(await Daemon.over(folder, ...options), shim);
  }

  /** Notes what the test knows at this moment. */
  say(what: unknown): void {
    say(this.#journal, what);
  }

  /**
   * Ends the recording: the daemon has to have ended, its folder goes.
   * @throws when the folder is not what the records make: a way of writing that the layer does not know
   */
  async end(): Promise<Recording> {
    const changes = readJournal(this.#journal);
    const disk = new Disk(this.#seen, 'strict');
    for (const change of changes) disk.apply(change);
    const model = disk.current();
    const real = see(this.node.dir);
    const name = (file: string): string => path.relative(real.root, file);
    const differing = real.entries.filter(({ file, bytes }) => {
      const known = model.get(name(file));
      if (OURS.has(name(file))) return false;
      return bytes === null || known === null || known === undefined ? bytes !== known : !bytes.equals(known);
    });
    const gone = [...model.keys()].filter((file) => !fs.existsSync(path.join(real.root, file)));
    const wrong = [...differing.map(({ file }) => name(file)), ...gone];
    if (wrong.length > 0) throw new Error(`changes were not seen: ${wrong.join(', ')}`);
    await this.node.remove();
    fs.rmSync(path.dirname(this.#journal), { recursive: true });
    return { seen: this.#seen, changes };
  }
}
