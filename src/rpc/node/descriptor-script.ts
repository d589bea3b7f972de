// Returns the one output script of a descriptor that a block is to pay, as Core 0.21's getScriptFromDescriptor.
import { parseDescriptor } from '../../address/descriptor/parse.js';
import type { NodeContext } from '../context/node.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';

/** Returns the script, or the error message of the parser. @throws RpcError if the descriptor has no single script */
export function descriptorScript(ctx: NodeContext, text: string, call: CallInfo): { script: Uint8Array } | { error: string } {
  const parsed = parseDescriptor(text, ctx.descriptors, { keys: call.taken?.keys });
  if ('error' in parsed) return parsed;
  const { descriptors, secrets } = parsed;
  try {
    const [descriptor] = descriptors;
    if (descriptors.length > 1) fail(RPC_CODE.INVALID_PARAMETER, 'Multipath descriptor not accepted');
    if (descriptor.isRange) {
      fail(RPC_CODE.INVALID_PARAMETER, 'Ranged descriptor not accepted. Maybe pass through deriveaddresses first?');
    }
    const scripts = descriptor.scripts(0, { secrets });
    if (scripts === null) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Cannot derive script without private keys');
    if (scripts.length === 0) fail(RPC_CODE.INVALID_PARAMETER, 'Descriptor without scripts not accepted');
    // combo() expands to four scripts (the third is P2WPKH), or to two with an uncompressed key (the second is P2PKH).
    return { script: scripts[scripts.length === 4 ? 2 : scripts.length === 2 ? 1 : 0] };
  } finally {
    secrets.wipe();
  }
}
