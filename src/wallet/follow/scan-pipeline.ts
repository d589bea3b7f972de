// Yields blocks of the best chain in order, each with the transactions that may concern a wallet. Pool threads scan
// blocks concurrently, and results are put back in order here. Payments in a block may use up the keys of a pool, so
// that the wallet derives new ones. Then this block and all later ones are scanned again for the new keys.
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { FoundTx } from '../../jobs/scan-blocks.js';
import type { BlockFacts, NodeClient } from '../node-client.js';
import type { Wallet } from '../wallet.js';
import { WalletMarks } from './wallet-marks.js';

/** Number of blocks in one job of the verify pool. A job that takes too long returns after fewer blocks. */
const BLOCKS_PER_JOB = 32;
/**
 * Preparing this many scripts for the pool threads takes as long as scanning one full block on this thread. So a wallet
 * with many scripts scans a few blocks without the pool.
 */
const SCRIPTS_PER_BLOCK = 20_000;

export interface ScanDeps {
  readonly client: NodeClient;
}

/** Scanned block. `candidates` is null if the block could not be read. */
export interface ScannedBlock {
  readonly node: BlockFacts;
  readonly candidates: readonly FoundTx[] | null;
  /**
   * Scans the block again if keys were added since, because its transactions may pay those keys too. Call `again` until
   * it returns undefined; only then is the block done. Resolves to null if the block cannot be read any more.
   */
  readonly again: () => Promise<readonly FoundTx[] | null> | undefined;
}

export function* parsed(found: readonly FoundTx[], hashes: Hashes): Generator<[position: number, tx: TxView]> {
  for (const { position, bytes } of found) yield [position, parseTx(bytes, hashes)];
}

interface Stretch {
  readonly nodes: readonly BlockFacts[];
  readonly version: number;
  readonly found: Promise<readonly (readonly FoundTx[] | null)[]>;
}

/**
 * Scans blocks of the best chain.
 * @param first first block
 * @param lastHeight returns the height of the last block to scan; called repeatedly, because the tip may change
 */
export async function* scanInPipeline(
  wallet: Wallet,
  first: BlockFacts,
  lastHeight: () => number,
  { client }: ScanDeps,
): AsyncGenerator<ScannedBlock, void, undefined> {
  const blocks = lastHeight() - first.height + 1;
  const onThreads = client.constants.scanDepth > 0 && blocks * SCRIPTS_PER_BLOCK >= wallet.keys.scriptCount;
  const marks = onThreads ? await WalletMarks.of(wallet, client.constants.hasFilters) : null;
  const inProgress: Stretch[] = [];
  const depth = onThreads ? client.constants.scanDepth : 1;
  const perStretch = onThreads ? BLOCKS_PER_JOB : 1;
  const startScan = (nodes: readonly BlockFacts[]): Stretch => {
    const hashes = nodes.map(({ hash }) => hash);
    const found = client.scan(hashes, marks?.targets ?? null);
    // The code that awaits this promise gets its error. If the scan ends early, no code awaits it, so handle the
    // rejection here.
    found.catch(() => {});
    return { nodes, version: marks?.version ?? 0, found };
  };
  const { keys, ledger } = wallet;
  let cursor = keys.scriptCursor();
  const againAt = (node: BlockFacts): ScannedBlock['again'] => {
    let known = -1;
    return () => {
      // Other changes may add keys too, without end. So stop after a scan that recorded no new transaction.
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
