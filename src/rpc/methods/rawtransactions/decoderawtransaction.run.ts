import type { DecodeRun } from '../../front/context.js';
import { decodeTx } from '../../front/decode.js';
import { txWriterOf } from '../../render/tx-writer.js';
import { RawJson } from '../../wire/values.js';
import type { decoderawtransaction as spec } from './decoderawtransaction.spec.js';

export const decoderawtransaction: DecodeRun<typeof spec> = ({ iswitness, hexstring }, ctx) =>
  new RawJson(txWriterOf(ctx).text(decodeTx(hexstring, iswitness, ctx)));
