// Script flags of a block: by height and deployments as in Core 0.21, with the exempt blocks of later releases.

import { hashToHex } from '../bytes/hex.js';
import type { HeaderContext } from '../header-context.js';
import type { ChainParams } from '../params/chain-params.js';
import { NEVER_HEIGHT } from '../params/deployment.js';
import {
  SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY,
  SCRIPT_VERIFY_CHECKSEQUENCEVERIFY,
  SCRIPT_VERIFY_DERSIG,
  SCRIPT_VERIFY_NULLDUMMY,
  SCRIPT_VERIFY_P2SH,
  SCRIPT_VERIFY_TAPROOT,
  SCRIPT_VERIFY_WITNESS,
} from '../script/flags.js';
import { isDeploymentActive, type VersionBitsCache } from './versionbits.js';

/**
 * Returns the script flags of the child of `prev` (null: genesis).
 * @param hash the block's hash, to find exempt blocks; null for a block that is being made
 */
export function blockScriptFlags(
  prev: HeaderContext | null,
  hash: Uint8Array | null,
  params: ChainParams,
  cache: VersionBitsCache,
): number {
  const height = prev === null ? 0 : prev.height + 1;
  const segwitDefined = params.segwitHeight !== NEVER_HEIGHT;
  // P2SH and witness rules apply from genesis on: only the exempt blocks break them.
  let flags = SCRIPT_VERIFY_P2SH | (segwitDefined ? SCRIPT_VERIFY_WITNESS : 0);
  if (isDeploymentActive('taproot', prev, params, cache)) flags |= SCRIPT_VERIFY_TAPROOT;
  if (hash !== null && params.scriptFlagExceptions.size > 0) {
    flags = params.scriptFlagExceptions.get(hashToHex(hash)) ?? flags;
  }
  if (height >= params.bip66Height) flags |= SCRIPT_VERIFY_DERSIG;
  if (height >= params.bip65Height) flags |= SCRIPT_VERIFY_CHECKLOCKTIMEVERIFY;
  if (height >= params.csvHeight) flags |= SCRIPT_VERIFY_CHECKSEQUENCEVERIFY;
  if (height >= params.segwitHeight) flags |= SCRIPT_VERIFY_NULLDUMMY;
  return flags;
}
