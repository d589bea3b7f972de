import type { FrontContext, FrontRun } from '../../front/context.js';
import { txToDecode } from '../../front/decode.js';
import { TxWriter } from '../../render/tx-writer.js';
import { JsonBytes } from '../../wire/json-bytes.js';
import { RawBytes } from '../../wire/values.js';
import type { decoderawtransaction as spec } from './decoderawtransaction.spec.js';

/** Writers with their cached scripts. */
const writers = new WeakMap<FrontContext, TxWriter>();

export const decoderawtransaction: FrontRun<typeof spec> = (params, ctx) => {
  const tx = txToDecode(params, ctx.hashes);
  let writer = writers.get(ctx);
  if (writer === undefined) writers.set(ctx, (writer = new TxWriter(ctx)));
  const out = new JsonBytes();
  writer.writeObject(out, tx, null, false);
  return new RawBytes(out.parts());
};
