// Describes tips and templates for the serving threads: converts the facts of a tip and a selection of transactions to
// messages.

import type { ChainParams } from '../consensus/params/chain-params.js';
import { targetOf } from '../consensus/rules/bits.js';
import { blockSubsidy } from '../consensus/rules/subsidy.js';
import type { Hashes } from '../crypto/crypto.js';
import { type ChosenTransactions, commitmentScript, type TemplateTip, type TipFacts } from '../template/index.js';
import type { ServedTemplate, ServedTip } from './messages.js';

/** Facts of the tip that a template's coinbase and header need. */
export type BlockFacts = Pick<TipFacts, 'height' | 'version' | 'subsidy' | 'segwitActive'>;

/**
 * Predicts the facts of the block after the next from those of the next block. Only a change of the version can make
 * the prediction wrong.
 */
export function nextFacts(facts: BlockFacts, params: ChainParams): BlockFacts {
  const height = facts.height + 1;
  return { height, version: facts.version, subsidy: blockSubsidy(height, params), segwitActive: height >= params.segwitHeight };
}

export const sameFacts = (a: BlockFacts, b: BlockFacts): boolean =>
  a.height === b.height && a.version === b.version && a.subsidy === b.subsidy && a.segwitActive === b.segwitActive;

/** Describes a template. @param serial number by which the threads name the template */
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
  return { serial, kind, ...block, branch: chosen.merkleBranch, transactions: chosen.records.places };
}

/** Describes the block to build on. @param nowSeconds the node's clock */
export function describeTip(
  { hash: prevHash }: Pick<TemplateTip, 'hash'>,
  facts: Pick<TipFacts, 'height' | 'minTime' | 'minDifficulty' | 'bits'>,
  params: ChainParams,
  nowSeconds: number,
  acceptedMs: number | null,
): ServedTip {
  const { height, minTime, minDifficulty: easy } = facts;
  const headerTimestamp = Math.max(minTime, nowSeconds);
  const bits = easy !== null && headerTimestamp > easy.afterTime ? easy.bits : facts.bits;
  return { prevHash, height, headerTimestamp, minTime, bits, target: targetOf(bits, params.powLimit) ?? 0n, acceptedMs };
}
