// Long work with blocks in the background, while calls are answered: adding the node's own files to a new index
// (-reindex), connecting stored blocks, importing files (-loadblock). Each progress line has height, percentage, speed
// and remaining time. Core's counterpart: ThreadImport.
import fs from 'node:fs';
import type { Chain, ConnectProgress, ImportProgress } from '../chain/index.js';
import { durationText, percentText } from '../lib/progress.js';
import type { Logger } from '../log/logger.js';
import { blockFilesIn } from '../storage/scan-blocks.js';
import type { Store } from '../storage/store.js';
import type { RebuildNote } from './rebuild.js';

/** Blocks to load in the background. */
export interface LoadTask {
  /** Note of a rebuild whose files have to be scanned; null for none. */
  readonly scan: RebuildNote | null;
  /** Files and folders of -loadblock. */
  readonly files: readonly string[];
}

export interface LoadDeps {
  readonly chain: Chain;
  readonly store: Store;
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

/** Returns the file itself, or all blk files of a folder. */
function importPaths(given: string): string[] {
  if (!fs.existsSync(given)) return [];
  return fs.statSync(given).isDirectory() ? blockFilesIn(given) : [given];
}

const importText = ({ bytes, totalBytes, blocks, height, blocksPerSecond, secondsLeft }: ImportProgress): string =>
  `${percentText(bytes, totalBytes)}, ${blocks} blocks, height ${height}, ${blocksPerSecond.toFixed(0)} blocks/s, ${durationText(secondsLeft)} left`;

const connectText = ({ height, goal, percent, blocksPerSecond, secondsLeft }: ConnectProgress): string =>
  `height ${height} of ${goal} (${percent.toFixed(1)}%), ${blocksPerSecond.toFixed(0)} blocks/s, ${durationText(secondsLeft)} left`;

/** Does all work in order. Ends early if the node stops. */
export async function loadBlocks(task: LoadTask, deps: LoadDeps): Promise<void> {
  const { chain, log, stopping } = deps;
  if (task.scan !== null) await scanOwnFiles(task.scan, deps);
  if (stopping.aborted) return;
  const ahead = chain.view.storedAhead;
  if (ahead > 0) {
    log.info(`Connecting ${ahead} stored blocks`);
    await chain.commands.connectStored((progress) => log.info(`Connecting stored blocks: ${connectText(progress)}`));
  }
  for (const file of task.files) {
    if (stopping.aborted) return;
    const paths = importPaths(file);
    if (paths.length === 0) {
      log.warn(`Could not open blocks file ${file}`);
      continue;
    }
    log.info(`Importing blocks file ${file}...`);
    const blocks = await chain.commands.loadBlockFiles(paths, (progress) => log.info(`Importing ${file}: ${importText(progress)}`));
    log.info(`Imported ${blocks} blocks from ${file}`);
  }
}

async function scanOwnFiles(note: RebuildNote, { chain, store, log, stopping }: LoadDeps): Promise<void> {
  log.info('Reindexing: reading the block files');
  const blocks = await chain.commands.adoptStored((progress) => log.info(`Reindexing: ${importText(progress)}`));
  if (stopping.aborted) return;
  // The index must be on the disk before the note is deleted.
  await store.batch([], { sync: true });
  note.remove();
  log.info(`Reindexing finished: ${blocks} blocks found in the files`);
}
