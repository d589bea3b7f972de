// What clients are told of a block to be built: NewTemplate and SetNewPrevHash from the facts of a tip and a choice of
// transactions.

import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import { targetOf } from '../../consensus/rules/bits.js';
import { coinbaseLock } from '../../consensus/rules/cleanup/coinbase-lock.js';
import { blockSubsidy } from '../../consensus/rules/subsidy.js';
import { pushNumber } from '../../consensus/script/build-script.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { ChosenTransactions } from '../../template/assembly.js';
import { commitmentScript } from '../../template/coinbase.js';
import type { TemplateTip } from '../../template/source.js';
import type { TipFacts } from '../../template/tip-facts.js';
import { encodeNewTemplate } from '../codec/template-messages.js';
import type { ServedTemplate, ServedTip, SharedTransactions } from '../serve/messages.js';

const COINBASE_VERSION = 2;

/** What a template's coinbase and header say besides its transactions. */
export type BlockFacts = Pick<TipFacts, 'height' | 'version' | 'subsidy' | 'segwitActive'>;

/**
 * The facts of the block after the next, as far as they follow from today's: only a change of the version may prove
 * them wrong.
 */
export function nextFacts(facts: BlockFacts, params: ChainParams): BlockFacts {
  const height = facts.height + 1;
  return { height, version: facts.version, subsidy: blockSubsidy(height, params), segwitActive: height >= params.segwitHeight };
}

export const sameFacts = (a: BlockFacts, b: BlockFacts): boolean =>
  a.height === b.height && a.version === b.version && a.subsidy === b.subsidy && a.segwitActive === b.segwitActive;

/** @param serial names it between the threads */
export function describeTemplate(
  serial: number,
  kind: ServedTemplate['kind'],
  facts: BlockFacts,
  chosen: Pick<ChosenTransactions, 'fees' | 'witnessRoot' | 'merkleBranch' | 'records'>,
  hashes: Hashes,
): ServedTemplate {
  const { height, version, subsidy, segwitActive } = facts;
  const commitment = segwitActive ? commitmentScript(chosen.witnessRoot, hashes) : null;
  const block = { height, version, value: subsidy + chosen.fees, commitment };
  return describeServed(serial, kind, block, chosen.merkleBranch, chosen.records.places);
}

/**
 * What a template says of its block: the value of its coinbase in satoshis, and the script of its witness commitment.
 */
export interface ServedBlock {
  readonly height: number;
  readonly version: number;
  readonly value: number;
  /** null before segwit. */
  readonly commitment: Uint8Array | null;
}

/** The same from what is known of a block whose transactions another node chose. */
export function describeServed(
  serial: number,
  kind: ServedTemplate['kind'],
  { height, version, value, commitment }: ServedBlock,
  branch: readonly Uint8Array[],
  transactions: SharedTransactions,
): ServedTemplate {
  const lock = coinbaseLock(height);
  const payload = encodeNewTemplate({
    templateId: 0n,
    future: false,
    version,
    coinbaseVersion: COINBASE_VERSION,
    coinbasePrefix: pushNumber(height),
    coinbaseSequence: lock.sequence,
    valueRemaining: value,
    outputs: commitment === null ? [] : [new ByteWriter(47).u64(0).varBytes(commitment).finish()],
    coinbaseLocktime: lock.locktime,
    merklePath: branch,
  });
  return { serial, kind, height, payload, branch, transactions };
}

/** The tip as SetNewPrevHash has it. @param nowSeconds the node's clock */
export function describeTip(
  tip: TemplateTip,
  facts: TipFacts,
  params: ChainParams,
  nowSeconds: number,
  acceptedMs: number | null,
): ServedTip {
  const headerTimestamp = Math.max(facts.minTime, nowSeconds);
  const easy = facts.minDifficulty;
  const bits = easy !== null && headerTimestamp > easy.afterTime ? easy.bits : facts.bits;
  return { prevHash: tip.hash, height: facts.height, headerTimestamp, bits, target: targetOf(bits, params.powLimit) ?? 0n, acceptedMs };
}
