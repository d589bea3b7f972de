// Core: rpc/misc.cpp.

import { encodeAddress, encodePublicKeyHash } from '../../../address/address.js';
import type { Descriptor } from '../../../address/descriptor/descriptor.js';
import type { SecretRing } from '../../../address/descriptor/secrets.js';
import { Slicer } from '../../../lib/slicer.js';
import { follows } from '../../../policy/compat.js';
import { solve } from '../../../policy/script-type.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, range, str } from '../../declare/parts.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { parse } from '../../node/descriptors.js';
import { asRange, type IndexRange } from '../../range.js';

export const spec = declare({
  name: 'deriveaddresses',
  category: 'util',
  runs: 'node',
  repeatable: true,
  checks: 'types',
  description: 'Returns the addresses of an output descriptor.',
  args: [
    str('descriptor', 'The descriptor with its checksum', { holds: 'descriptor' }),
    range('range?', 'For ranged descriptors: the last index, or [begin,end], both included'),
  ],
  results: [
    arr([str('An address')]),
    arr({ since: 29, when: 'for a multipath descriptor' }, [arr('Addresses of one path', [str('An address')])]),
  ],
  examples: [
    {
      title: 'The first three receiving addresses',
      cli: '"wpkh([d34db33f/84h/0h/0h]xpub6DJ2dNUysrn5Vt36jH2KLBT2i1auw1tTSSomg8PhqNiUtx8QX2SvC9nrHu81fT41fvDUnhMjEzQgXnQjKEu3oaqMSzhSrHMxyyoEAmUHQbY/0/*)#cjjspncu" "[0,2]"',
      rpc: '"wpkh([d34db33f/84h/0h/0h]xpub6DJ2dNUysrn5Vt36jH2KLBT2i1auw1tTSSomg8PhqNiUtx8QX2SvC9nrHu81fT41fvDUnhMjEzQgXnQjKEu3oaqMSzhSrHMxyyoEAmUHQbY/0/*)#cjjspncu", "[0,2]"',
    },
  ],
  waits: true,
});

const FIRST: IndexRange = { begin: 0, end: 0 };

export const deriveaddresses: NodeRun<typeof spec> = async (params, ctx, call) => {
  const range = params.range === null ? FIRST : asRange(params.range);
  const { descriptors, secrets } = parse(ctx, params.descriptor, call, true);
  try {
    const { isRange } = descriptors[0];
    // Core 0.21 counts arguments, even if they are null.
    const given = follows(ctx.compat, 22) ? params.range !== null : params.args.length > 1;
    if (!isRange && given) fail(RPC_CODE.INVALID_PARAMETER, 'Range should not be specified for an un-ranged descriptor');
    if (isRange && !given) fail(RPC_CODE.INVALID_PARAMETER, 'Range must be specified for a ranged descriptor');
    const lists: string[][] = [];
    for (const descriptor of descriptors) lists.push(await addressesOf(ctx, descriptor, range, secrets, call));
    return lists.length === 1 ? lists[0] : lists;
  } finally {
    secrets.wipe();
  }
};

/** Computes addresses in slices: a range may have a million indexes. */
async function addressesOf(
  ctx: NodeContext,
  descriptor: Descriptor,
  { begin, end }: IndexRange,
  secrets: SecretRing,
  { signal, yieldToUrgent }: CallInfo,
): Promise<string[]> {
  const slicer = new Slicer(yieldToUrgent);
  const addresses: string[] = [];
  for (let index = begin; index <= end; index++) {
    const scripts = descriptor.scripts(index, { secrets });
    if (scripts === null) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Cannot derive script without private keys');
    for (const script of scripts) {
      const address = addressOf(ctx, script, scripts.length === 1);
      if (address !== null) addresses.push(address);
    }
    if (!slicer.due) continue;
    if (signal?.aborted) break;
    await slicer.pause();
  }
  return addresses.length > 0 ? addresses : fail(RPC_CODE.MISC_ERROR, 'Unexpected empty result');
}

/**
 * Returns the address of a script. Core 0.21 shows a bare key as the address of its hash; later releases do not, and
 * combo() then omits it.
 */
function addressOf({ params, crypto, compat }: NodeContext, script: Uint8Array, alone: boolean): string | null {
  const address = encodeAddress(script, params, crypto);
  if (address !== null) return address;
  const { type, solutions } = solve(script);
  if (type === 'pubkey' && !follows(compat, 22)) return encodePublicKeyHash(crypto.hash160(solutions[0]), params, crypto);
  if (type === 'pubkey' && !alone) return null;
  return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Descriptor does not have a corresponding address');
}
