// Shared by combinepsbt and joinpsbts. Core 0.21: rpc/rawtransaction.cpp.

import { Slicer } from '../../lib/slicer.js';
import type { Psbt } from '../../psbt/index.js';
import { asString } from '../args.js';
import type { NodeContext } from '../context/node.js';
import type { CallInfo } from '../dispatch.js';
import { asPsbt } from '../render/psbt-text.js';
import type { JsonValue } from '../wire/values.js';

/** Parses a list of PSBTs in slices. @param check called with each before the next is parsed */
export async function asPsbts(ctx: NodeContext, list: readonly JsonValue[], call: CallInfo, check?: (psbt: Psbt) => void): Promise<Psbt[]> {
  const pauses = new Slicer(call.yieldToUrgent);
  const psbts: Psbt[] = [];
  for (const text of list) {
    const psbt = await asPsbt(asString(text), ctx, pauses);
    check?.(psbt);
    psbts.push(psbt);
    if (pauses.due) await pauses.pause();
  }
  return psbts;
}
