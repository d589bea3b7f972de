import { declare } from '../../declare/parameters.js';
import { arr, hash, hex, num, obj, str, time } from '../../declare/parts.js';

export const gettemplateverdict = declare({
  name: 'gettemplateverdict',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Returns why a transaction is or is not in the current template of getblocktemplate (not in Bitcoin Core). The\ncall compares the transaction with the template. It builds nothing and does not wait.',
  args: [hash('txid', 'The transaction')],
  results: [
    obj([
      str(
        'verdict',
        '"included", "pending" (the next template decides), "below-cut" (pays less than the last selected package), "no-room" (pays enough\nand does not fit), "filtered" (left out because of a rule), "large-cluster" (has too many relatives), "refused" (by the mempool),\n"conflict" (refused because of a transaction in the mempool), "left" (the mempool), "confirmed", "unknown", "no-template"',
      ),
      str(
        'reason?',
        'pending: "empty-template", "newer", "changed"; filtered: "non-final", "premature-witness", "blockmintxfee", "prioritised"; no-room:\n"weight", "sigops"; refused and conflict: the reject reason; left: "expiry", "sizelimit", "reorg", "conflict", "replaced"',
      ),
      str('details?', 'More about the reject reason'),
      num('position?', 'included: position in the block. The coinbase is 0'),
      obj('package?', 'The package with which the transaction would be selected, without transactions that are in the template', [
        arr('txids', '', [hex('Parents first')]),
        num('fee', 'Modified fees in satoshis'),
        num('weight', 'Weight, adjusted for signature operations'),
        num('feerate', 'Satoshis per 1,000 virtual bytes; exactly: 4000 * fee / weight'),
      ]),
      obj('cut?', 'The lowest fee rate at which the template has a package', [
        num('fee', 'Modified fees in satoshis'),
        num('weight', 'Weight, adjusted for signature operations'),
        num('feerate', 'Satoshis per 1,000 virtual bytes'),
      ]),
      num('missing?', 'below-cut: additional satoshis that would reach the cut'),
      obj('room?', 'Space that is left in the block', [num('weight', ''), num('sigops', 'Signature operation cost')]),
      arr('conflicts?', 'Transactions of the mempool that spend the same coins', [hex()]),
      hex('replacedby?', 'left: the replacement'),
      time('time?', 'refused, conflict, left: time of the event'),
      obj('template?', 'The template that was compared', [
        str('longpollid', 'The longpollid of the template'),
        num('height', 'Height of the block to be built'),
        num('transactions', 'Number of transactions in the template'),
        num('weight', 'Weight of the template, including -blockreservedweight'),
      ]),
    ]),
  ],
  examples: [{ cli: '"txid"', rpc: '"txid"' }],
});
