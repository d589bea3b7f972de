// Handles SubmitSolution: finds the template, makes the block, writes it to disk and passes it to the node thread. Logs
// every solution that is not passed on.

import { buildHeader } from '../../consensus/block/build-block.js';
import { rootOverBranch } from '../../consensus/block/merkle.js';
import { hashToHex } from '../../consensus/bytes/hex.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import { proofOfWork } from '../../consensus/rules/bits.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import type { Hashes } from '../../crypto/crypto.js';
import { BlockKeeper, joinBlock, type ServeLog } from '../../mining/serve/index.js';
import type { SubmitSolution } from '../codec/template-messages.js';
import type { Client } from './client.js';
import type { ServeCounters } from './counters.js';
import type { FromServe, ServeOptions } from './messages.js';
import type { NumberedTemplate, TemplateTable } from './template-table.js';

// Makes a block from a SubmitSolution. Checks only the proof of work: without it the bytes cannot be a block, and
// anyone could fill the disk with them.

/**
 * A block with proof of work, or the reason why the solution is not a block. Copies of a block that differ in the coinbase's
 * witness have the same hash but different keys.
 */
type ReadSolution =
  | { readonly kind: 'block'; readonly hashHex: string; readonly key: string; readonly block: Uint8Array }
  | { readonly kind: 'bad'; readonly why: string };

/** @param template a template whose tip is known */
function readSolution(solution: SubmitSolution, template: NumberedTemplate, powLimit: bigint, hashes: Hashes): ReadSolution {
  const { tip, served } = template;
  if (tip === null) return { kind: 'bad', why: 'its template was never activated' };
  // The buffer of a message may be reused for the next one.
  const bytes = solution.coinbase.slice();
  let coinbase: TxView;
  try {
    coinbase = parseTx(bytes, hashes, { exact: true });
  } catch (error) {
    if (error instanceof DecodeError) return { kind: 'bad', why: `its coinbase does not decode (${error.message})` };
    throw error;
  }
  if (!coinbase.isCoinbase) return { kind: 'bad', why: 'its transaction is not a coinbase' };
  const header = buildHeader({
    version: solution.version | 0,
    prevHash: tip.prevHash,
    merkleRoot: rootOverBranch(coinbase.txid, served.branch, hashes),
    time: solution.headerTimestamp,
    bits: tip.bits,
    nonce: solution.headerNonce,
  });
  const hash = hashes.sha256d(header);
  const hashHex = hashToHex(hash);
  if (!proofOfWork(hash, tip.bits, powLimit)) return { kind: 'bad', why: `${hashHex} lacks the proof of work` };
  return { kind: 'block', hashHex, key: `${hashHex} ${hashToHex(coinbase.wtxid)}`, block: joinBlock(header, bytes, served) };
}

export interface SolverDeps {
  readonly hashes: Hashes;
  readonly options: Pick<ServeOptions, 'powLimit' | 'solutionsDir'>;
  readonly counters: ServeCounters;
  readonly post: (message: FromServe, transfer?: readonly ArrayBuffer[]) => void;
}

export class Solver {
  readonly #table: TemplateTable;
  readonly #deps: SolverDeps;
  readonly #log: ServeLog;
  readonly #keeper: BlockKeeper;

  constructor(board: TemplateTable, deps: SolverDeps, notes: ServeLog) {
    this.#table = board;
    this.#deps = deps;
    this.#log = notes;
    this.#keeper = new BlockKeeper({ name: 'Stratum V2', dir: deps.options.solutionsDir, notes, post: deps.post });
  }

  solve(client: Client, solution: SubmitSolution): void {
    const { options, counters, hashes } = this.#deps;
    const { templateId } = solution;
    client.solutions++;
    counters.add('solutionsRead');
    const template = this.#table.get(templateId);
    if (template === null) {
      counters.add('solutionsUnknown');
      this.#log.limited(`Stratum V2: a solution of ${client.name} is for the unknown template ${templateId}. A block may be lost.`);
      return;
    }
    const read = readSolution(solution, template, options.powLimit, hashes);
    if (read.kind === 'bad') {
      counters.add('solutionsBad');
      this.#log.limited(`Stratum V2: a solution of ${client.name} for template ${templateId} is not a block: ${read.why}`);
      return;
    }
    if (!this.#keeper.isNew(read.key)) {
      this.#log.limited(`client ${client.id}: block ${read.hashHex} again`, 'debug');
      return;
    }
    this.#handOver(client, template, read);
  }

  #handOver(client: Client, template: NumberedTemplate, { hashHex, block }: Extract<ReadSolution, { kind: 'block' }>): void {
    const late = template.tip !== this.#table.tip;
    if (late) this.#deps.counters.add('solutionsLate');
    this.#keeper.keepBlock({
      ...{ hashHex, block, late },
      finder: `client ${client.id}`,
      address: client.host,
      height: template.served.height,
    });
  }
}
