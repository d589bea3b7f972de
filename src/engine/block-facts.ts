// The facts of a block that the engine needs, from its place in the chain.

import type { HeaderContext } from '../consensus/header-context.js';
import type { ChainParams } from '../consensus/params/chain-params.js';
import { enforceBip30 } from '../consensus/rules/bip30.js';
import { blockScriptFlags } from '../consensus/rules/block-script-flags.js';
import { cleanupEnforced } from '../consensus/rules/cleanup/enforced.js';
import { blockSubsidy } from '../consensus/rules/subsidy.js';
import type { VersionBitsCache } from '../consensus/rules/versionbits.js';
import { SCRIPT_VERIFY_P2SH, SCRIPT_VERIFY_WITNESS } from '../consensus/script/flags.js';
import type { EngineBlock } from './engine.js';

/**
 * Returns the facts of the block `hash`, child of `prev`; null if a rule applies that the engine does not check:
 * BIP-0054, or signatures of blocks (BIP-0325).
 * @param time the block's own time
 */
export function engineBlock(
  prev: HeaderContext,
  hash: Uint8Array,
  time: number,
  params: ChainParams,
  cache: VersionBitsCache,
): EngineBlock | null {
  if (params.signetChallenge !== null || cleanupEnforced(prev, params, cache)) return null;
  const height = prev.height + 1;
  const parentMedianTime = prev.medianTimePast();
  const flags = blockScriptFlags(prev, hash, params, cache);
  return {
    height,
    hash,
    subsidy: blockSubsidy(height, params),
    lockTimeCutoff: height >= params.csvHeight ? parentMedianTime : time,
    parentMedianTime,
    heightInCoinbase: height >= params.bip34Height,
    noOverwrites: enforceBip30(prev, hash, params),
    relativeLocks: height >= params.csvHeight,
    witnesses: height >= params.segwitHeight,
    countRedeemScripts: (flags & SCRIPT_VERIFY_P2SH) !== 0,
    countWitnesses: (flags & SCRIPT_VERIFY_WITNESS) !== 0,
  };
}
