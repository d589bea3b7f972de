// Shared by deriveaddresses and getdescriptorinfo. Core: rpc/misc.cpp.
import { type ParsedDescriptor, parseDescriptor } from '../../address/descriptor/parse.js';
import { asString } from '../args.js';
import type { NodeContext } from '../context/node.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { JsonValue } from '../wire/values.js';

export function parse(ctx: NodeContext, text: JsonValue, call: CallInfo, requireChecksum: boolean): ParsedDescriptor {
  const parsed = parseDescriptor(asString(text), ctx.descriptors, { requireChecksum, keys: call.taken?.keys });
  return 'error' in parsed ? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, parsed.error) : parsed;
}
