// -reindex and -reindex-chainstate: deletes old data before the chain is opened. A note in the network's folder records
// the stage, so a node that is killed meanwhile continues, whether or not the option is given again:
//
//   all wipe          the database and the undo files are being deleted
//   all scan          blocks of the files are being added to a new index; when all are added, the note is deleted, and the
//                     node connects the blocks as every start does with stored blocks
//   chainstate wipe   the coins are being deleted
import fs from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config/index.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import { replaceFileSync, syncFolder } from '../lib/durable-file.js';
import type { Logger } from '../log/logger.js';
import { blockIndexKey, COIN_SETS_KEY, FIRST_COINS, SECOND_COINS } from '../storage/layout.js';
import type { BatchOp, Store } from '../storage/store.js';
import { fromSystemError, StoreError } from '../storage/store-error.js';

export interface RebuildOptions {
  /** -reindex */
  readonly all: boolean;
  /** -reindex-chainstate */
  readonly chainstate: boolean;
  /** -prune: a rebuild also deletes block files that it cannot use. */
  readonly prune: boolean;
}

type Stage = 'all wipe' | 'all scan' | 'chainstate wipe';
const STAGES: readonly Stage[] = ['all wipe', 'all scan', 'chainstate wipe'];

/** The note with the stage of a rebuild. */
export class RebuildNote {
  readonly #file: string;

  constructor(netDir: string) {
    this.#file = path.join(netDir, 'REBUILD');
  }

  read(): Stage | null {
    try {
      const text = fs.readFileSync(this.#file, 'utf8').trim();
      const stage = STAGES.find((one) => one === text);
      if (stage === undefined) throw new ConfigError(`${this.#file} is unreadable. Start with -reindex to restart the rebuild.`);
      return stage;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Writes the stage. It is on the disk when this returns. */
  write(stage: Stage): void {
    try {
      replaceFileSync(this.#file, `${stage}\n`, `${this.#file}.tmp`);
    } catch (error) {
      throw fromSystemError(error, `write ${this.#file}`);
    }
  }

  remove(): void {
    fs.rmSync(this.#file, { force: true });
    syncFolder(path.dirname(this.#file));
  }
}

/** Folders of a rebuild. */
export interface RebuildPlaces {
  readonly netDir: string;
  readonly blocksDir: string;
  readonly databaseDir: string;
}

/**
 * Deletes the data that a rebuild computes again.
 * @param open opens the database; the first success also proves that no other node uses the folder
 * @param judge may refuse the existing database, before anything else is done to it
 * @returns the database to use, and whether the block files must be scanned
 */
export async function prepareRebuild<Database extends Store>(
  options: RebuildOptions,
  places: RebuildPlaces,
  params: ChainParams,
  open: () => Promise<Database>,
  judge: (store: Database) => Promise<void>,
  log: Logger,
): Promise<{ store: Database; scan: boolean; note: RebuildNote }> {
  const note = new RebuildNote(places.netDir);
  if (options.all || note.read() === 'all wipe') {
    await open()
      .then((store) => store.close())
      .catch((error: unknown) => {
        if (!isDamage(error)) throw error;
        log.warn(`The database cannot be opened and will be removed: ${(error as Error).message}`);
      });
    note.write('all wipe');
  }
  if (note.read() === 'all wipe') {
    log.info('Reindexing: removing the database and the undo files');
    removeWhole(places.databaseDir);
  }
  // Opening the database also locks the block files.
  const store = await open();
  await judge(store).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  if (note.read() === 'all wipe') {
    removeUndoFiles(places.blocksDir);
    if (options.prune) removeDetachedFiles(places.blocksDir, log);
    note.write('all scan');
  }
  // The larger rebuild includes the smaller one.
  if (options.chainstate && note.read() === null) note.write('chainstate wipe');
  const stage = note.read();
  if (stage === 'chainstate wipe') {
    await wipeCoins(store, params, log);
    note.remove();
  }
  return { store, scan: stage === 'all scan', note };
}

/** Returns whether the database is unreadable, as opposed to locked or inaccessible. */
function isDamage(error: unknown): boolean {
  return error instanceof StoreError && ['STORE_CORRUPTION', 'STORE_NOT_FOUND', 'STORE_IO'].includes(error.code);
}

/** Rename first: a process that dies while deleting the files would leave a database that cannot be opened. */
function removeWhole(folder: string): void {
  const aside = `${folder}.old`;
  fs.rmSync(aside, { recursive: true, force: true });
  if (fs.existsSync(folder)) fs.renameSync(folder, aside);
  fs.rmSync(aside, { recursive: true, force: true });
}

function removeUndoFiles(blocksDir: string): void {
  for (const name of fs.readdirSync(blocksDir)) if (/^rev\d{5,7}\.dat$/.test(name)) fs.rmSync(path.join(blocksDir, name));
}

/**
 * Deletes block files after a gap in the numbers, or all if the first is missing, as Core does. A pruned node has such
 * files. Their blocks cannot be connected and would occupy disk space.
 */
function removeDetachedFiles(blocksDir: string, log: Logger): void {
  log.info('Removing unusable blk?????.dat and rev?????.dat files for -reindex with -prune');
  const numbers = fs.readdirSync(blocksDir).flatMap((name) => {
    const match = /^blk(\d{5,7})\.dat$/.exec(name);
    return match === null ? [] : [{ name, number: Number(match[1]) }];
  });
  numbers.sort((a, b) => a.number - b.number);
  let next = 0;
  for (const { name, number } of numbers) {
    if (number === next) next++;
    else fs.rmSync(path.join(blocksDir, name));
  }
}

/** Deletes all coins: the genesis block leaves none. */
async function wipeCoins(store: Store, params: ChainParams, log: Logger): Promise<void> {
  // A folder without blocks has no coins.
  if ((await store.get(blockIndexKey(params.genesisHash))) === undefined) return;
  log.info('Reindexing the chain state: removing all coins');
  // A snapshot's coins are deleted too; it has to be loaded again.
  const ops: BatchOp[] = [{ type: 'del', key: COIN_SETS_KEY }];
  for (const { coins, tipKey, flushMarkerKey } of [FIRST_COINS, SECOND_COINS]) {
    await store.clear(coins.gte, coins.lt);
    ops.push({ type: 'del', key: flushMarkerKey }, { type: 'del', key: tipKey });
  }
  ops.push({ type: 'put', key: FIRST_COINS.tipKey, value: params.genesisHash });
  await store.batch(ops, { sync: true });
}
