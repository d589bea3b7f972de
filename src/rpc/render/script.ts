// Shows a script: assembly, hex, type, and the addresses that it pays, as Core 0.21.1 prints them (a bare public key
// has none). Core: core_write.cpp ScriptPubKeyToUniv, standard.cpp ExtractDestinations.
import { encodeAddress, encodePublicKeyHash } from '../../address/address.js';
import { addChecksum } from '../../address/descriptor/checksum.js';
import type { DescriptorContext } from '../../address/descriptor/context.js';
import { inferDescriptor, NO_PROVIDER, type ScriptProvider } from '../../address/descriptor/infer.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { Hashes } from '../../crypto/crypto.js';
import { type Compat, follows, shows } from '../../policy/compat.js';
import { scriptAsm } from '../../policy/script-asm.js';
import { type ScriptType, type SolvedScript, solve } from '../../policy/script-type.js';
import { SCRIPT_MEMBERS } from '../declare/members.js';
import { objectShaper } from '../declare/versions.js';
import type { JsonResult } from '../wire/values.js';
import { bytesHex } from './hex.js';

/** Dependencies of rendering. */
export interface RenderContext {
  readonly compat: Compat;
  /** Context for showing scripts as descriptors. */
  readonly descriptors: DescriptorContext;
  readonly params: ChainParams;
  readonly hashes: Hashes;
}

/** Returns the address of a script; null if it has none. */
export function addressOf(script: Uint8Array, ctx: Pick<RenderContext, 'params' | 'hashes'>): string | null {
  return encodeAddress(script, ctx.params, ctx.hashes);
}

/** Returns the size of a public key by its first byte; 0 if the byte is invalid. */
export function publicKeySize(first: number | undefined): number {
  if (first === 2 || first === 3) return 33;
  return first === 4 || first === 6 || first === 7 ? 65 : 0;
}

const isKey = (bytes: Uint8Array) => bytes.length > 0 && bytes.length === publicKeySize(bytes[0]);

/** Returns the addresses of a script and the number of signatures needed; null if it has no address. */
function destinations(script: Uint8Array, solution: SolvedScript, ctx: RenderContext): { required: number; addresses: string[] } | null {
  if (solution.type !== 'multisig') {
    const address = addressOf(script, ctx);
    return address === null ? null : { required: 1, addresses: [address] };
  }
  const keys = solution.solutions.slice(1, -1).filter(isKey);
  if (keys.length === 0) return null;
  const addresses = keys.map((key) => encodePublicKeyHash(ctx.hashes.hash160(key), ctx.params, ctx.hashes));
  return { required: solution.solutions[0]![0] ?? 0, addresses };
}

/** Templates with a hash. If nothing is known about the hash, the descriptor is the address. */
const HASHED: ReadonlySet<ScriptType> = new Set(['pubkeyhash', 'scripthash', 'witness_v0_keyhash', 'witness_v0_scripthash']);

/** Returns the members of a scriptPubKey object. @param provider known scripts behind a hash, for the descriptor */
export function scriptMembers(
  script: Uint8Array,
  ctx: RenderContext,
  withHex: boolean,
  provider: ScriptProvider = NO_PROVIDER,
): Record<string, JsonResult> {
  const solution = solve(script);
  const out: Record<string, JsonResult> = { asm: scriptAsm(script) };
  const paid =
    solution.type === 'pubkey' || solution.type === 'nonstandard' || solution.type === 'nulldata'
      ? null
      : destinations(script, solution, ctx);
  const single = solution.type === 'multisig' ? null : paid;
  if (shows(ctx.compat, { since: 23 })) {
    const isHidden = single !== null && provider === NO_PROVIDER && HASHED.has(solution.type);
    out.desc = isHidden ? addChecksum(`addr(${single.addresses[0]})`) : inferDescriptor(script, provider, ctx.descriptors).toString();
  }
  if (withHex) out.hex = bytesHex(script);
  if (paid) out.reqSigs = paid.required;
  if (single) out.address = single.addresses[0];
  // Releases know anchors since 28.
  out.type = solution.type === 'anchor' && !follows(ctx.compat, 28) ? 'witness_unknown' : solution.type;
  if (paid) out.addresses = paid.addresses;
  return (objectShaper(SCRIPT_MEMBERS, ctx.compat)?.(out) ?? out) as Record<string, JsonResult>;
}
