// Shared by combinepsbt and joinpsbts. Core 0.21: rpc/rawtransaction.cpp.

import type { Psbt } from '../../psbt/index.js';
import { asString } from '../args.js';
import { asPsbt } from '../render/psbt-text.js';
import type { JsonValue } from '../wire/values.js';
import type { DecodeContext } from './context.js';

/** Parses a list of PSBTs. @param check called with each before the next is parsed */
export const asPsbts = (ctx: DecodeContext, list: readonly JsonValue[], check?: (psbt: Psbt) => void): Psbt[] =>
  list.map((text) => {
    const psbt = asPsbt(asString(text), ctx);
    check?.(psbt);
    return psbt;
  });
