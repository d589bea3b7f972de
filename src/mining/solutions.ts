// Submits the blocks that clients found to the chain, and keeps their files until the chain has a result.
//
// The serving thread writes a block to a file before it posts the block (serve/block-keeper.ts). At the start the node
// submits again all blocks of earlier runs that have no result. The file of a block in the best chain is removed once
// the chain's own files are synced. The other files stay for the finders, the newest 100 of each kind:
//
//   HASH.lost      another block came before this one
//   HASH.invalid   the block breaks a rule
//   HASH.damaged   found at a start: the file does not contain the whole block
//
// A block whose parent is unknown waits for the parent. A power failure may have lost the parent.
import fs from 'node:fs';
import path from 'node:path';
import { type BlockView, parseBlock } from '../consensus/block/block-view.js';
import { hashToHex } from '../consensus/bytes/hex.js';
import { DecodeError } from '../consensus/bytes/reader.js';
import { checkMerkleRoot } from '../consensus/rules/check-block.js';
import { checkWitnessCommitment } from '../consensus/rules/contextual-check-block.js';
import type { Reject } from '../consensus/state.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import type { Logger } from '../log/logger.js';
import type { CoinbaseWatch } from '../template/index.js';
import type { FoundBlock, SolutionOutcome } from './messages.js';

const MOST_RETAINED = 100;

/** The chain, which validates the blocks (src/chain/chain.ts). */
export interface SolutionChain {
  known(hash: Uint8Array): string;
  withWitnessReserved(block: BlockView): BlockView;
  submitBlock(block: BlockView, options: { force: boolean }): Promise<{ readonly kind: string; readonly reject: Reject | null }>;
  /** Returns true if the block with this hash is in the best chain. */
  holds(hash: Uint8Array): boolean;
  /** Syncs the chain's files and database to disk. */
  sync(): Promise<void>;
}

export interface SolutionDeps {
  /** Protocol of the clients, which log lines start with: `Stratum V2`. */
  readonly name: string;
  readonly dir: string;
  readonly chain: SolutionChain;
  readonly hashes: Hashes;
  readonly log: Logger;
  /** Receives every coinbase that a client made. */
  readonly coinbaseWatch: Pick<CoinbaseWatch, 'checkSubmitted'>;
  /** Called once a block was checked. `outcome` is `accepted`, or the reject reason of BIP-0022. */
  readonly onChecked?: (hashHex: string, finder: string, outcome: string) => void;
}

export class Solutions {
  readonly #deps: SolutionDeps;
  /** Results of the solutions of this run. */
  readonly outcomes: Record<SolutionOutcome, number> = { accepted: 0, duplicate: 0, lost: 0, invalid: 0, fault: 0 };
  #resubmitted = 0;
  readonly #underWay = new Set<Promise<void>>();
  /** Files of blocks whose parents are not known, by the blocks' hashes. */
  readonly #orphans = new Map<string, { readonly file: string; readonly prevHash: Uint8Array }>();

  /** Creates the folder. */
  constructor(deps: SolutionDeps) {
    this.#deps = deps;
    fs.mkdirSync(deps.dir, { recursive: true, mode: 0o700 });
  }

  /** Number of blocks of earlier runs that were submitted again. */
  get resubmitted(): number {
    return this.#resubmitted;
  }

  /** Submits a block from the serving thread to the chain. Never rejects. */
  judgeSolution({ hashHex, block, file, finder, address, height, late }: FoundBlock): Promise<void> {
    const where = late ? ', on the tip before,' : '';
    this.#deps.log.info(`${this.#deps.name}: block ${hashHex}${where} from ${finder}`);
    return this.#run(() =>
      this.#judge(hashHex, block, file, finder, (coinbase) => this.#deps.coinbaseWatch.checkSubmitted(address, coinbase, height)),
    );
  }

  /** Submits the blocks of earlier runs that have no result, and renames incomplete files to HASH.damaged. */
  async resubmit(): Promise<void> {
    for (const name of fs.readdirSync(this.#deps.dir)) {
      const match = /^([0-9a-f]{64})\.(blk|new)$/.exec(name);
      if (match !== null) await this.#run(() => this.#resubmit(match[1] as string, path.join(this.#deps.dir, name)));
    }
  }

  /** Called after a tip change. Submits the waiting blocks whose parents are known now. */
  tipChanged(): void {
    for (const [hashHex, { file, prevHash }] of this.#orphans) {
      if (this.#deps.chain.known(prevHash) === 'unknown') continue;
      this.#orphans.delete(hashHex);
      void this.#run(() => this.#resubmit(hashHex, file));
    }
  }

  /** Resolves when no submission is in progress. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #run(work: () => Promise<void>): Promise<void> {
    const running = work().catch((error: unknown) =>
      this.#deps.log.error(`${this.#deps.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
    );
    this.#underWay.add(running);
    void running.finally(() => this.#underWay.delete(running));
    return running;
  }

  async #resubmit(hashHex: string, file: string): Promise<void> {
    const { log } = this.#deps;
    let bytes: Uint8Array;
    try {
      bytes = fs.readFileSync(file);
    } catch (error) {
      log.error(`${this.#deps.name}: block ${hashHex} of an earlier run cannot be read: ${(error as Error).message}`);
      return;
    }
    const damage = this.#damage(hashHex, bytes);
    if (damage !== null) {
      log.warn(`${this.#deps.name}: ${file} is not the whole block (${damage}): it is kept as ${hashHex}.damaged and not submitted`);
      await this.#file(file, 'damaged');
      return;
    }
    this.#resubmitted++;
    log.info(`${this.#deps.name}: block ${hashHex} of an earlier run is submitted again`);
    await this.#judge(hashHex, bytes, file, 'of an earlier run');
  }

  /**
   * Returns why a file does not contain the block of its name; null if it does. The process or the machine may have
   * ended during the write.
   */
  #damage(hashHex: string, bytes: Uint8Array): string | null {
    try {
      const block = parseBlock(bytes, this.#deps.hashes, { exact: true });
      if (hashToHex(block.hash) !== hashHex) return 'its header has another hash';
      // The merkle root does not commit to witnesses, so check the witness commitment too.
      const verdict = checkMerkleRoot(block) ?? checkWitnessCommitment(this.#deps.chain.withWitnessReserved(block), true);
      return verdict?.reason ?? null;
    } catch (error) {
      if (error instanceof DecodeError) return error.message;
      throw error;
    }
  }

  async #judge(
    hashHex: string,
    bytes: Uint8Array,
    file: string,
    finder: string,
    seen: (coinbase: TxView) => void = () => {},
  ): Promise<void> {
    const { chain, hashes, log, onChecked } = this.#deps;
    let outcome: SolutionOutcome = 'fault';
    let reason: string | undefined;
    try {
      const block = parseBlock(bytes, hashes);
      const known = chain.known(block.hash) !== 'unknown';
      if (block.txs[0] !== undefined) seen(block.txs[0]);
      const { kind, reject } = await chain.submitBlock(chain.withWitnessReserved(block), { force: true });
      reason = reject?.reason;
      if (chain.holds(block.hash)) outcome = known ? 'duplicate' : 'accepted';
      else if (reject?.category === 'missing-prev') {
        log.warn(`${this.#deps.name}: block ${hashHex} builds on a block that is not known; it waits in ${file}`);
        if (file !== '') this.#orphans.set(hashHex, { file, prevHash: block.header.prevHash });
      } else outcome = kind === 'invalid' ? 'invalid' : 'lost';
      if (outcome === 'accepted') log.info(`${this.#deps.name}: block ${hashHex} is in the chain`);
      if (outcome === 'lost') log.warn(`${this.#deps.name}: block ${hashHex} lost: another block came before it. It is kept in ${file}`);
      if (outcome === 'invalid')
        log.warn(`${this.#deps.name}: block ${hashHex} is refused: ${reject?.reason ?? kind} ${reject?.debug ?? ''}`.trimEnd());
    } catch (error) {
      log.error(`${this.#deps.name}: block ${hashHex}: ${(error as Error).message}. It is in ${file} and is submitted at the next start.`);
    }
    this.outcomes[outcome]++;
    onChecked?.(hashHex, finder, outcome === 'accepted' || outcome === 'duplicate' ? outcome : (reason ?? 'inconclusive'));
    if (file !== '') await this.#file(file, outcome);
  }

  async #file(file: string, outcome: SolutionOutcome | 'damaged'): Promise<void> {
    const { chain, log } = this.#deps;
    try {
      if (outcome === 'accepted' || outcome === 'duplicate') {
        await chain.sync();
        fs.rmSync(file, { force: true });
      } else if (outcome !== 'fault') this.#retainFile(file, outcome);
    } catch (error) {
      log.warn(`${this.#deps.name}: ${file}: ${(error as Error).message}`);
    }
  }

  /** Renames a file to another ending, and removes the oldest files with this ending above the limit. @throws the system's error */
  #retainFile(file: string, ending: 'lost' | 'invalid' | 'damaged'): void {
    const { dir } = this.#deps;
    const name = path.basename(file).replace(/\.(blk|new)$/, `.${ending}`);
    fs.renameSync(file, path.join(dir, name));
    const retained = fs
      .readdirSync(dir)
      .filter((one) => one.endsWith(`.${ending}`))
      .map((one) => ({ name: one, ms: fs.statSync(path.join(dir, one)).mtimeMs }))
      .sort((a, b) => b.ms - a.ms);
    for (const one of retained.slice(MOST_RETAINED)) fs.rmSync(path.join(dir, one.name), { force: true });
  }
}
