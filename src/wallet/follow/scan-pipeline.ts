// Blocks of the best chain in order, with the transactions of each that may concern a wallet. Threads of the pool look
// ahead; their finds come back here in order. What a wallet learns from one block (new keys, after a payment to the
// pool's last ones) is looked for in that block and every later one: blocks that were looked through before are looked
// through again.
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { FoundTx } from '../../jobs/scan-blocks.js';
import type { BlockFacts, NodeClient } from '../node-client.js';
import type { Wallet } from '../wallet.js';
import { WalletMarks } from './wallet-marks.js';

/** Blocks per job: many while they are small or have filters; a job that takes too long comes back early. */
const BLOCKS_PER_JOB = 32;
/**
 * Writing down so many scripts for the threads takes as long as looking through a full block here: a large wallet reads
 * a few by itself.
 */
const SCRIPTS_PER_BLOCK = 20_000;

export interface ScanDeps {
  readonly client: NodeClient;
}

/**
 * A block that was looked through; null instead of the transactions that may concern the wallet when it could not be
 * read.
 */
export interface ScannedBlock {
  readonly node: BlockFacts;
  readonly candidates: readonly FoundTx[] | null;
  /**
   * Looks through it once more when recording what was found brought keys: they may be paid in it too. To be asked
   * until there is no need, which is undefined, before the block counts as done. Null when it cannot be read any more.
   */
  readonly again: () => Promise<readonly FoundTx[] | null> | undefined;
}

/** What was found, parsed when it is asked for. */
export function* parsed(found: readonly FoundTx[], hashes: Hashes): Generator<[position: number, tx: TxView]> {
  for (const { position, bytes } of found) yield [position, parseTx(bytes, hashes)];
}

interface Stretch {
  readonly nodes: readonly BlockFacts[];
  readonly version: number;
  readonly found: Promise<readonly (readonly FoundTx[] | null)[]>;
}

/**
 * @param first of the best chain
 * @param lastHeight asked again and again, since the tip may move
 */
export async function* scanInPipeline(
  wallet: Wallet,
  first: BlockFacts,
  lastHeight: () => number,
  { client }: ScanDeps,
): AsyncGenerator<ScannedBlock, void, undefined> {
  const blocks = lastHeight() - first.height + 1;
  const onThreads = client.scanDepth > 0 && blocks * SCRIPTS_PER_BLOCK >= wallet.keys.scriptCount;
  const marks = onThreads ? await WalletMarks.of(wallet, client.hasFilters) : null;
  const inProgress: Stretch[] = [];
  const depth = onThreads ? client.scanDepth : 1;
  const perStretch = onThreads ? BLOCKS_PER_JOB : 1;
  const startScan = (nodes: readonly BlockFacts[]): Stretch => {
    const hashes = nodes.map(({ hash }) => hash);
    const found = client.scan(hashes, marks?.targets ?? null);
    // The reader that awaits it gets the error; when the scan ends early, none does, and a rejection must be handled.
    found.catch(() => {});
    return { nodes, version: marks?.version ?? 0, found };
  };
  const { keys, ledger } = wallet;
  let cursor = keys.scriptCursor();
  const againAt = (node: BlockFacts): ScannedBlock['again'] => {
    let known = -1;
    return () => {
      // Keys come from elsewhere too: a look that found nothing is the last one.
      if (ledger.txs.size === known || !(marks?.stale ?? keys.hasNewScripts(cursor))) return undefined;
      known = ledger.txs.size;
      cursor = keys.scriptCursor();
      return scanAgain(node);
    };
  };
  const scanAgain = async (node: BlockFacts): Promise<readonly FoundTx[] | null> => {
    await marks?.refresh();
    const [found] = await startScan([node]).found;
    return found;
  };
  let height = first.height;
  for (;;) {
    while (inProgress.length < depth && height <= lastHeight()) {
      const nodes = await client.blocks(height, Math.min(perStretch, lastHeight() - height + 1));
      if (nodes.length === 0) break;
      height += nodes.length;
      inProgress.push(startScan(nodes));
    }
    let stretch = inProgress.shift();
    if (stretch === undefined) return;
    let done = 0;
    const { nodes } = stretch;
    while (done < nodes.length) {
      const found = await stretch.found;
      const from = nodes.length - stretch.nodes.length;
      while (done < nodes.length && (marks === null || marks.version === stretch.version)) {
        yield { node: nodes[done], candidates: found[done - from], again: againAt(nodes[done]) };
        done++;
        await marks?.refresh();
        cursor = keys.scriptCursor();
      }
      if (done < nodes.length) stretch = startScan(nodes.slice(done));
    }
  }
}
