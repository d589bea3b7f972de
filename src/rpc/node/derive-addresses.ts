// Derives the addresses of a descriptor for deriveaddresses. Runs on render threads. Core: rpc/misc.cpp.
import { encodeAddress, encodePublicKeyHash } from '../../address/address.js';
import type { Descriptor } from '../../address/descriptor/descriptor.js';
import { parseDescriptor } from '../../address/descriptor/parse.js';
import type { SecretRing } from '../../address/descriptor/secrets.js';
import { follows } from '../../policy/compat.js';
import { solve } from '../../policy/script-type.js';
import { fail, RPC_CODE } from '../errors.js';
import type { IndexRange } from '../range.js';
import { JOB_WORD } from '../reads/coin-job.js';
import { type AddressJob, ScanSize } from '../reads/scan-job.js';
import type { RenderContext } from '../render/script.js';
import { JsonBytes } from '../wire/json-bytes.js';
import { encodeString } from '../wire/json-write.js';
import { TakenSecrets } from '../wire/taken-secrets.js';
import { sharedText } from './mempool-text.js';

const FIRST: IndexRange = { begin: 0, end: 0 };

/** Bytes of an address in the result besides its characters: quotes and comma. */
const SHOWN_BYTES = 3;

/** @param size counts the result @returns the result of the call as JSON @throws RpcError */
export function deriveAddresses(job: AddressJob, ctx: RenderContext, size = new ScanSize()): Uint8Array {
  const taken = job.secrets === null ? undefined : TakenSecrets.of(job.secrets);
  const parsed = parseDescriptor(job.descriptor, ctx.descriptors, { requireChecksum: true, keys: taken?.keys });
  taken?.wipe();
  if ('error' in parsed) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, parsed.error);
  const { descriptors, secrets } = parsed;
  try {
    const { isRange } = descriptors[0];
    const hasRange = follows(ctx.compat, 22) ? job.range !== null : job.hasRange;
    if (!isRange && hasRange) fail(RPC_CODE.INVALID_PARAMETER, 'Range should not be specified for an un-ranged descriptor');
    if (isRange && !hasRange) fail(RPC_CODE.INVALID_PARAMETER, 'Range must be specified for a ranged descriptor');
    const out = new JsonBytes();
    if (descriptors.length > 1) out.text('[');
    for (const [i, descriptor] of descriptors.entries()) {
      if (i > 0) out.text(',');
      writeAddresses({ out, size }, descriptor, secrets, job, ctx);
    }
    if (descriptors.length > 1) out.text(']');
    return sharedText(out);
  } finally {
    secrets.wipe();
  }
}

function writeAddresses(
  { out, size }: { readonly out: JsonBytes; readonly size: ScanSize },
  descriptor: Descriptor,
  secrets: SecretRing,
  { range, words }: AddressJob,
  ctx: RenderContext,
): void {
  const { begin, end } = range ?? FIRST;
  let isEmpty = true;
  out.text('[');
  for (let index = begin; index <= end && Atomics.load(words, JOB_WORD.STOP) === 0; index++) {
    const scripts = descriptor.scripts(index, { secrets });
    for (const script of scripts ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Cannot derive script without private keys')) {
      const address = addressOf(ctx, script, scripts?.length === 1);
      if (address === null) continue;
      size.add(address.length + SHOWN_BYTES);
      out.beginEntry();
      if (!isEmpty) out.text(',');
      out.text(encodeString(address));
      isEmpty = false;
    }
    // A million indexes may take minutes. A thread without progress counts as stuck.
    Atomics.add(words, JOB_WORD.PROGRESS, 1);
  }
  out.text(']');
  if (isEmpty) fail(RPC_CODE.MISC_ERROR, 'Unexpected empty result');
}

/**
 * Returns the address of a script. Core 0.21 shows a bare key as the address of its hash; later releases do not, and
 * combo() then omits it.
 */
function addressOf({ params, hashes, compat }: RenderContext, script: Uint8Array, isAlone: boolean): string | null {
  const address = encodeAddress(script, params, hashes);
  if (address !== null) return address;
  const { type, solutions } = solve(script);
  if (type === 'pubkey' && !follows(compat, 22)) return encodePublicKeyHash(hashes.hash160(solutions[0]), params, hashes);
  if (type === 'pubkey' && !isAlone) return null;
  return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Descriptor does not have a corresponding address');
}
