// Lists transactions of peers whose parents are missing (net/relay/orphanage.ts).

import type { TxView } from '../../../consensus/tx/tx-view.js';
import { asInt } from '../../args.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, hex, num, obj } from '../../declare/parts.js';
import type { ResultSpec } from '../../declare/types.js';
import { fail, RPC_CODE } from '../../errors.js';
import { bytesHex, hashHex } from '../../render/hex.js';
import type { JsonResult, JsonValue } from '../../wire/values.js';

const MEMBERS: readonly ResultSpec[] = [
  hex('txid', 'The transaction id'),
  hex('wtxid', 'The transaction hash, which includes the witness'),
  num('bytes', 'Size in bytes'),
  num('vsize', 'Virtual size (BIP-0141)'),
  num('vsize_bip141', 'The same', { since: 32 }),
  num('weight', 'Weight (BIP-0141)'),
  arr('from', '', [num('Number of a peer that announced it')]),
];

export const spec = declare({
  name: 'getorphantxs',
  since: 29,
  category: 'hidden',
  runs: 'node',
  description: 'Returns transactions of peers whose parents are unknown.',
  args: [
    num('verbosity', '0 for transaction ids (an id may occur twice), 1 for objects, 2 for objects with the transaction as hex', {
      default: '0',
      anyType: true,
    }),
  ],
  results: [
    arr({ when: 'for verbose = 0' }, [hex('txid', 'The transaction id')]),
    arr({ when: 'for verbose = 1' }, [obj(MEMBERS)]),
    arr({ when: 'for verbose = 2' }, [obj([...MEMBERS, hex('hex', 'The transaction as hex, with its witness')])]),
  ],
  examples: [{ cli: '2', rpc: '2' }],
});

export const getorphantxs: NodeRun<typeof spec> = (params, ctx) => {
  const verbosity = verbosityOf(params.verbosity);
  const orphans = ctx.network.orphans();
  switch (verbosity) {
    case 0:
      return orphans.map(({ tx }) => hashHex(tx.txid));
    case 1:
      return orphans.map(({ tx, from }) => membersOf(tx, from));
    case 2:
      return orphans.map(({ tx, from }) => ({ ...membersOf(tx, from), hex: bytesHex(tx.bytes) }));
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
