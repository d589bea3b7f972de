// Lists transactions of peers whose parents are missing (net/relay/orphanage.ts).
import type { TxView } from '../../../consensus/tx/tx-view.js';
import { asInt } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { hashHex, hex } from '../../render/hex.js';
import type { JsonResult, JsonValue } from '../../wire/values.js';
import type { getorphantxs as spec } from './getorphantxs.spec.js';

export const getorphantxs: NodeRun<typeof spec> = (params, ctx) => {
  const verbosity = verbosityOf(params.verbosity);
  const orphans = ctx.network.orphans();
  switch (verbosity) {
    case 0:
      return orphans.map(({ tx }) => hashHex(tx.txid));
    case 1:
      return orphans.map(({ tx, from }) => membersOf(tx, from));
    case 2:
      return orphans.map(({ tx, from }) => ({ ...membersOf(tx, from), hex: hex(tx.bytes) }));
    default:
      return fail(RPC_CODE.INVALID_PARAMETER, `Invalid verbosity value ${verbosity}`);
  }
};

function verbosityOf(value: JsonValue): number {
  if (value === null) return 0;
  if (typeof value === 'boolean') fail(RPC_CODE.TYPE_ERROR, 'Verbosity was boolean but only integer allowed');
  return asInt(value);
}

function membersOf(tx: TxView, from: readonly number[]): Record<string, JsonResult> {
  return {
    txid: hashHex(tx.txid),
    wtxid: hashHex(tx.wtxid),
    bytes: tx.totalSize,
    vsize: tx.vsize,
    vsize_bip141: tx.vsize,
    weight: tx.weight,
    from,
  };
}
