// Blocks of the best chain in order, with the transactions of each that may concern a wallet. Threads of the pool look
// ahead; their finds come back here in order. What a wallet learns from one block (new keys, after a payment to the
// pool's last ones) is looked for in that block and every later one: blocks that were looked through before are looked
// through again.
import type { BlockToScan, FoundTx } from '../../jobs/scan-blocks.js';
import type { BlockScanner } from '../../parallel/block-scanner.js';
import type { WalletBlock, WalletChain, WalletFilters } from '../source.js';
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
  readonly chain: WalletChain;
  /** Null: every block is read on this thread. */
  readonly scanner: BlockScanner | null;
  readonly filters: WalletFilters | null;
}

/**
 * A block that was looked through; null instead of the transactions that may concern the wallet when it could not be
 * read.
 */
export interface ScannedBlock {
  readonly node: WalletBlock;
  readonly candidates: readonly FoundTx[] | null;
  /**
   * Looks through it once more when recording what was found brought keys: they may be paid in it too. To be asked
   * until there is no need, which is undefined, before the block counts as done. Null when it cannot be read any more.
   */
  readonly again: () => Promise<readonly FoundTx[] | null> | undefined;
}

interface Stretch {
  readonly nodes: readonly WalletBlock[];
  readonly version: number;
  readonly found: Promise<(readonly FoundTx[] | null)[]>;
}

/**
 * @param first of the best chain
 * @param lastHeight asked again and again, since the tip may move
 */
export async function* scanAhead(
  wallet: Wallet,
  first: WalletBlock,
  lastHeight: () => number,
  deps: ScanDeps,
): AsyncGenerator<ScannedBlock, void, undefined> {
  const { chain } = deps;
  const blocks = lastHeight() - first.height + 1;
  const scanner = blocks * SCRIPTS_PER_BLOCK < wallet.keys.scriptCount ? null : deps.scanner;
  const marks = scanner ? await WalletMarks.of(wallet, deps.filters !== null) : null;
  const ahead: Stretch[] = [];
  const depth = scanner?.depth ?? 1;
  const perStretch = scanner ? BLOCKS_PER_JOB : 1;
  const begin = (nodes: readonly WalletBlock[]): Stretch => {
    const found = lookThrough(nodes, marks, { ...deps, scanner });
    // Whoever awaits it hears of a failure; nobody may, when the scan ends early.
    found.catch(() => {});
    return { nodes, version: marks?.version ?? 0, found };
  };
  const { keys, ledger } = wallet;
  let cursor = keys.scriptCursor();
  const againAt = (node: WalletBlock): ScannedBlock['again'] => {
    let known = -1;
    return () => {
      // Keys come from elsewhere too: a look that found nothing is the last one.
      if (ledger.txs.size === known || !(marks?.stale ?? keys.hasNewScripts(cursor))) return undefined;
      known = ledger.txs.size;
      cursor = keys.scriptCursor();
      return lookAgain(node);
    };
  };
  const lookAgain = async (node: WalletBlock): Promise<readonly FoundTx[] | null> => {
    await marks?.refresh();
    const [found] = await begin([node]).found;
    return found;
  };
  let height = first.height;
  for (;;) {
    while (ahead.length < depth && height <= lastHeight()) {
      const nodes: WalletBlock[] = [];
      while (nodes.length < perStretch && height <= lastHeight()) {
        const node = chain.atHeight(height);
        if (node === undefined) break;
        nodes.push(node);
        height++;
      }
      if (nodes.length === 0) break;
      ahead.push(begin(nodes));
    }
    let stretch = ahead.shift();
    if (stretch === undefined) return;
    let done = 0;
    const { nodes } = stretch;
    while (done < nodes.length) {
      const found: (readonly FoundTx[] | null)[] = await stretch.found;
      const from = nodes.length - stretch.nodes.length;
      while (done < nodes.length && (marks === null || marks.version === stretch.version)) {
        yield { node: nodes[done], candidates: found[done - from], again: againAt(nodes[done]) };
        done++;
        await marks?.refresh();
        cursor = keys.scriptCursor();
      }
      if (done < nodes.length) stretch = begin(nodes.slice(done));
    }
  }
}

/** Candidates of some blocks, in order. */
async function lookThrough(
  nodes: readonly WalletBlock[],
  marks: WalletMarks | null,
  deps: ScanDeps,
): Promise<(readonly FoundTx[] | null)[]> {
  const { chain, scanner, filters } = deps;
  const stored: BlockToScan[] = [];
  const places: boolean[] = [];
  for (const node of nodes) {
    const place = scanner ? chain.placeOf(node) : null;
    places.push(place !== null);
    if (place === null) continue;
    const row = filters && marks?.filtered ? await filters.find(node.hash) : undefined;
    stored.push({ hash: node.hash.slice(), ...place, filter: row?.filter ?? null });
  }
  const found = stored.length > 0 && scanner && marks ? await scanner.scan(stored, marks.targets) : [];
  const result: (readonly FoundTx[] | null)[] = [];
  let next = 0;
  for (const [i, node] of nodes.entries()) {
    if (places[i]) {
      result.push(found[next++]);
      continue;
    }
    // A block whose undo data is not written yet is near the tip: it is looked through here.
    const block = await chain.readBlock(node).catch(() => null);
    result.push(block?.txs.map(({ bytes }, position) => ({ bytes, position })) ?? null);
  }
  return result;
}
