import { arr, hex, num, obj, str, time } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const gettemplateverdict: MethodSpec = {
  name: 'gettemplateverdict',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Tells why a transaction is or is not in the template that getblocktemplate hands out now (not in Bitcoin Core). Builds nothing and waits for\nnothing: it compares the figures of the transaction with those of the template.',
  args: [hex('txid', 'The transaction')],
  results: [
    obj([
      str(
        'verdict',
        '"included", "pending" (the next template decides), "below-cut" (pays less than the last package taken), "no-room" (pays enough and does\nnot fit), "filtered" (kept out by a rule), "large-cluster" (hangs together with too many to be looked at), "refused" (the mempool\ndid not take it), "conflict" (refused for a transaction that is in the mempool), "left" (was in the mempool), "confirmed", "unknown",\n"no-template"',
      ),
      str(
        'reason?',
        'pending: "empty-template", "newer", "changed"; filtered: "non-final", "premature-witness", "blockmintxfee", "prioritised"; no-room:\n"weight", "sigops"; refused and conflict: the reject reason; left: "expiry", "sizelimit", "reorg", "conflict", "replaced"',
      ),
      str('details?', 'More about the reject reason'),
      num('position?', 'included: place in the block, the coinbase being 0'),
      obj('package?', 'What the transaction is taken together with, where the template does not have it yet', [
        arr('txids', '', [hex('Parents first')]),
        num('fee', 'Modified fees in satoshis'),
        num('weight', 'Weight, adjusted for signature operations'),
        num('feerate', 'Satoshis per 1,000 virtual bytes; exactly: 4000 * fee / weight'),
      ]),
      obj('cut?', 'The lowest rate at which the template took a package', [
        num('fee', 'Modified fees in satoshis'),
        num('weight', 'Weight, adjusted for signature operations'),
        num('feerate', 'Satoshis per 1,000 virtual bytes'),
      ]),
      num('missing?', 'below-cut: satoshis of fees more that reach the cut'),
      obj('room?', 'What is left of the block', [num('weight', ''), num('sigops', 'Signature operation cost')]),
      arr('conflicts?', 'Transactions of the mempool that spend the same coins', [hex()]),
      hex('replacedby?', 'left: what replaced it'),
      time('time?', 'refused, conflict, left: when that was'),
      obj('template?', 'The template that this is about', [
        str('longpollid', 'As in its replies'),
        num('height', 'Of the block to be built'),
        num('transactions', 'How many it has'),
        num('weight', 'With what is kept free for header and coinbase'),
      ]),
    ]),
  ],
  examples: [{ cli: '"txid"', rpc: '"txid"' }],
};
