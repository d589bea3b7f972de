// Decides which blocks the download engine may connect, and collects the facts about a block that the engine cannot read
// in the block itself.

import { canRepeat, enforceBip30 } from '../../consensus/rules/bip30.js';
import { blockScriptFlags } from '../../consensus/rules/block-script-flags.js';
import { cleanupEnforced } from '../../consensus/rules/cleanup/enforced.js';
import { blockSubsidy } from '../../consensus/rules/subsidy.js';
import { SCRIPT_VERIFY_P2SH, SCRIPT_VERIFY_WITNESS } from '../../consensus/script/flags.js';
import type { EngineBlock } from '../../engine/engine.js';
import type { ChainWorkspace } from '../connect/workspace.js';
import type { HeaderNode } from '../tree/header-node.js';

/**
 * Returns whether the engine may connect a block: no rule applies that the engine does not know (BIP-0054, BIP-0325).
 */
export function mayConnect({ params, versionBits }: ChainWorkspace, node: HeaderNode): boolean {
  return !node.failed && params.signetChallenge === null && !cleanupEnforced(node.prev, params, versionBits);
}

/**
 * Returns the facts about a block for the engine. The genesis block is never connected.
 * @param scripts true if its scripts must be checked (scriptsReason)
 */
export function engineBlock({ params, versionBits }: ChainWorkspace, node: HeaderNode, scripts: boolean): EngineBlock {
  const prev = node.prev as HeaderNode;
  const { height } = node;
  const parentMedianTime = prev.medianTimePast();
  const flags = blockScriptFlags(prev, node.hash, params, versionBits);
  return {
    height,
    hash: node.hash,
    subsidy: blockSubsidy(height, params),
    lockTimeCutoff: height >= params.csvHeight ? parentMedianTime : node.time,
    parentMedianTime,
    heightInCoinbase: height >= params.bip34Height,
    noOverwrites: enforceBip30(prev, node.hash, params),
    mayRepeat: canRepeat(params),
    relativeLocks: height >= params.csvHeight,
    witnesses: height >= params.segwitHeight,
    countRedeemScripts: (flags & SCRIPT_VERIFY_P2SH) !== 0,
    countWitnesses: (flags & SCRIPT_VERIFY_WITNESS) !== 0,
    scriptFlags: scripts ? flags : null,
  };
}
