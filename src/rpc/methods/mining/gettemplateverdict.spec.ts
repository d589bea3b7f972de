// Declares gettemplateverdict.
import type { MethodSpec } from '../../declare/types.js';

export const gettemplateverdict: MethodSpec = {
  name: 'gettemplateverdict',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Tells why a transaction is or is not in the template that getblocktemplate hands out now (not in Bitcoin Core). Builds nothing and waits for\nnothing: it compares the figures of the transaction with those of the template.',
  args: [{ name: 'txid', type: 'hex', help: 'The transaction' }],
  results: [
    {
      type: 'obj',
      help: '',
      inner: [
        {
          type: 'str',
          key: 'verdict',
          help: '"included", "pending" (the next template decides), "below-cut" (pays less than the last package taken), "no-room" (pays enough and does\nnot fit), "filtered" (kept out by a rule), "large-cluster" (hangs together with too many to be looked at), "refused" (the mempool\ndid not take it), "conflict" (refused for a transaction that is in the mempool), "left" (was in the mempool), "confirmed", "unknown",\n"no-template"',
        },
        {
          type: 'str',
          key: 'reason',
          optional: true,
          help: 'pending: "empty-template", "newer", "changed"; filtered: "non-final", "premature-witness", "blockmintxfee", "prioritised"; no-room:\n"weight", "sigops"; refused and conflict: the reject reason; left: "expiry", "sizelimit", "reorg", "conflict", "replaced"',
        },
        { type: 'str', key: 'details', optional: true, help: 'More about the reject reason' },
        { type: 'num', key: 'position', optional: true, help: 'included: place in the block, the coinbase being 0' },
        {
          type: 'obj',
          key: 'package',
          optional: true,
          help: 'What the transaction is taken together with, where the template does not have it yet',
          inner: [
            { type: 'arr', key: 'txids', help: '', inner: [{ type: 'hex', help: 'Parents first' }] },
            { type: 'num', key: 'fee', help: 'Modified fees in satoshis' },
            { type: 'num', key: 'weight', help: 'Weight, adjusted for signature operations' },
            { type: 'num', key: 'feerate', help: 'Satoshis per 1,000 virtual bytes; exactly: 4000 * fee / weight' },
          ],
        },
        {
          type: 'obj',
          key: 'cut',
          optional: true,
          help: 'The lowest rate at which the template took a package',
          inner: [
            { type: 'num', key: 'fee', help: 'Modified fees in satoshis' },
            { type: 'num', key: 'weight', help: 'Weight, adjusted for signature operations' },
            { type: 'num', key: 'feerate', help: 'Satoshis per 1,000 virtual bytes' },
          ],
        },
        { type: 'num', key: 'missing', optional: true, help: 'below-cut: satoshis of fees more that reach the cut' },
        {
          type: 'obj',
          key: 'room',
          optional: true,
          help: 'What is left of the block',
          inner: [
            { type: 'num', key: 'weight', help: '' },
            { type: 'num', key: 'sigops', help: 'Signature operation cost' },
          ],
        },
        {
          type: 'arr',
          key: 'conflicts',
          optional: true,
          help: 'Transactions of the mempool that spend the same coins',
          inner: [{ type: 'hex', help: '' }],
        },
        { type: 'hex', key: 'replacedby', optional: true, help: 'left: what replaced it' },
        { type: 'num-time', key: 'time', optional: true, help: 'refused, conflict, left: when that was' },
        {
          type: 'obj',
          key: 'template',
          optional: true,
          help: 'The template that this is about',
          inner: [
            { type: 'str', key: 'longpollid', help: 'As in its replies' },
            { type: 'num', key: 'height', help: 'Of the block to be built' },
            { type: 'num', key: 'transactions', help: 'How many it has' },
            { type: 'num', key: 'weight', help: 'With what is kept free for header and coinbase' },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '"txid"', rpc: '"txid"' }],
};
