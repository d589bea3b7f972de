// Blocks that clients found, judged by the chain. Each is in a file before it comes here (serve/solution.ts); a start submits again what was not
// judged. The file of a block that is in the best chain is removed: the chain has it on disk. One that lost against another block, or that
// breaks a rule, is kept for its finder as HASH.lost or HASH.invalid, the newest 100 of each.
import fs from 'node:fs';
import path from 'node:path';
import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import type { Reject } from '../../consensus/state.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { Logger } from '../../log/logger.js';
import type { CoinbaseWatch } from '../../template/coinbase-watch.js';
import type { FromServe, SolutionOutcome } from '../serve/messages.js';

const MOST_KEPT = 100;

/** Who judges; src/chain/chain.ts. */
export interface SolutionChain {
  known(hash: Uint8Array): string;
  withWitnessReserved(block: BlockView): BlockView;
  submitBlock(block: BlockView, options: { force: boolean }): Promise<{ readonly kind: string; readonly reject: Reject | null }>;
  /** Whether the block with this hash is in the best chain. */
  holds(hash: Uint8Array): boolean;
}

export interface SolutionDeps {
  readonly dir: string;
  readonly chain: SolutionChain;
  readonly hashes: Hashes;
  readonly log: Logger;
  /** Told of every coinbase that a client made. */
  readonly watch: Pick<CoinbaseWatch, 'submitted'>;
}

export class Solutions {
  readonly #deps: SolutionDeps;
  /** What came of those of this run. */
  readonly outcomes: Record<SolutionOutcome, number> = { accepted: 0, duplicate: 0, lost: 0, invalid: 0, fault: 0 };
  #resubmitted = 0;
  readonly #underWay = new Set<Promise<void>>();

  /** Makes the folder. */
  constructor(deps: SolutionDeps) {
    this.#deps = deps;
    fs.mkdirSync(deps.dir, { recursive: true, mode: 0o700 });
  }

  /** Blocks of an earlier run that were submitted again at the start. */
  get resubmitted(): number {
    return this.#resubmitted;
  }

  /** A block from the serving thread. Never rejects. */
  judge({ hashHex, block, file, client, address, templateId, height, late }: Extract<FromServe, { kind: 'solution' }>): Promise<void> {
    const where = late ? ', on the tip before,' : '';
    this.#deps.log.info(`Stratum V2: block ${hashHex}${where} from client ${client}, template ${templateId}`);
    const work = this.#judge(hashHex, block, file, (coinbase) => this.#deps.watch.submitted(address, coinbase, height));
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
    return work;
  }

  /** Submits what an earlier run had read and not judged. */
  async resubmit(): Promise<void> {
    const { dir, log } = this.#deps;
    for (const name of fs.readdirSync(dir)) {
      const match = /^([0-9a-f]{64})\.(blk|new)$/.exec(name);
      if (match === null) continue;
      const file = path.join(dir, name);
      const block = fs.readFileSync(file);
      // The process ended while it was written, and nothing after that was done with it.
      if (match[2] === 'new' && !this.#whole(block)) {
        log.warn(`Stratum V2: ${name} in ${dir} was not written to its end; it is left there`);
        continue;
      }
      this.#resubmitted++;
      log.info(`Stratum V2: block ${match[1]} of an earlier run is submitted again`);
      await this.#judge(match[1], block, file);
    }
  }

  /** Resolves when nothing is being judged. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #whole(block: Uint8Array): boolean {
    try {
      parseBlock(block, this.#deps.hashes);
      return true;
    } catch (error) {
      if (error instanceof DecodeError) return false;
      throw error;
    }
  }

  async #judge(hashHex: string, bytes: Uint8Array, file: string, seen: (coinbase: TxView) => void = () => {}): Promise<void> {
    const { chain, hashes, log } = this.#deps;
    let outcome: SolutionOutcome = 'fault';
    try {
      const block = parseBlock(bytes, hashes);
      const known = chain.known(block.hash) !== 'unknown';
      if (block.txs[0] !== undefined) seen(block.txs[0]);
      const { kind, reject } = await chain.submitBlock(chain.withWitnessReserved(block), { force: true });
      if (chain.holds(block.hash)) outcome = known ? 'duplicate' : 'accepted';
      else outcome = kind === 'invalid' ? 'invalid' : 'lost';
      if (outcome === 'accepted') log.info(`Stratum V2: block ${hashHex} is in the chain`);
      if (outcome === 'lost') log.warn(`Stratum V2: block ${hashHex} lost: another block came before it. It is kept in ${file}`);
      if (outcome === 'invalid')
        log.warn(`Stratum V2: block ${hashHex} is refused: ${reject?.reason ?? kind} ${reject?.debug ?? ''}`.trimEnd());
    } catch (error) {
      log.error(`Stratum V2: block ${hashHex}: ${(error as Error).message}. It is in ${file} and is submitted at the next start.`);
    }
    this.outcomes[outcome]++;
    if (file !== '') this.#file(file, outcome);
  }

  #file(file: string, outcome: SolutionOutcome): void {
    const { dir, log } = this.#deps;
    try {
      if (outcome === 'accepted' || outcome === 'duplicate') fs.rmSync(file, { force: true });
      if (outcome !== 'lost' && outcome !== 'invalid') return;
      fs.renameSync(file, file.replace(/\.(blk|new)$/, `.${outcome}`));
      const kept = fs
        .readdirSync(dir)
        .filter((name) => name.endsWith(`.${outcome}`))
        .map((name) => ({ name, ms: fs.statSync(path.join(dir, name)).mtimeMs }))
        .sort((a, b) => b.ms - a.ms);
      for (const { name } of kept.slice(MOST_KEPT)) fs.rmSync(path.join(dir, name), { force: true });
    } catch (error) {
      log.warn(`Stratum V2: ${file}: ${(error as Error).message}`);
    }
  }
}
