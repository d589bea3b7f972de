import type { BlockView } from '../../../consensus/block/block-view.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { amount, arr, dyn, hex, none, num, obj, str, time } from '../../declare/parts.js';
import { parseTemplateRequest } from '../../front/template-request.js';
import { propose } from '../../node/declared-block.js';
import { blockFromBytes, bytesOf } from '../../node/submit.js';

export const spec = declare({
  name: 'getblocktemplate',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Returns the data that a miner needs to build a block on the current tip. See BIPs 22, 23, 9 and 145.\nWith mode "proposal" the call checks a block without proof of work instead.\nWith a longpollid the reply waits until the tip changes or the fees in the mempool have risen.\nWith the capability "light" (not in Core; only with -templatemode=live) the template has no transactions.',
  args: [
    obj('template_request', 'The request', { as: 'json', default: '{}', required: 26, oneline: '"template_request"' }, [
      str('mode?', '"template", "proposal" or absent'),
      arr('capabilities?', 'Capabilities of the client', [
        str('support?', 'Such as "longpoll", "coinbasevalue", "proposal". Only "light" changes the reply'),
      ]),
      arr('rules?', 'Soft forks that the client supports. Required for a template', [
        str('support?', 'Such as "segwit", which is required. "consensuscleanup" adds the values that BIP54 requires of a coinbase'),
      ]),
      str('longpollid?', 'The longpollid of the template that the client has'),
      num('maxweight?', 'Not in Core: largest weight of the block, including -blockreservedweight, 4000 to 4000000'),
      num('maxsigops?', 'Not in Core: largest signature operation cost of the block, including 400 for the coinbase, 400 to 80000'),
      amount('minfeerate?', 'Not in Core: lowest fee rate of a package, in BTC/kvB'),
      arr('exclude?', 'Not in Core: transactions to leave out, together with all transactions that depend on them, 1000 at most', [
        hex('txid?', ''),
      ]),
      hex('data?', 'The block, in mode "proposal"'),
    ]),
  ],
  results: [
    none({ when: 'for a valid proposal' }),
    str('The reject reason of BIP22', { when: 'for an invalid proposal' }),
    obj({ when: 'otherwise' }, [
      arr('capabilities', 'Capabilities of the node', [str()]),
      num('version', 'The preferred block version'),
      arr('rules', 'Rules that apply to the block. The client must support those with an exclamation mark', [str('Name of a rule')]),
      dyn('vbavailable', 'Deployments that blocks may signal for', [num('rulename', 'Bit in the block version')]),
      num('vbrequired', 'Version bits that must be set'),
      str('previousblockhash', 'Hash of the tip'),
      arr('transactions', 'Transactions after the coinbase, in this order. Empty in a light template', [
        obj([
          hex('data', 'The whole transaction'),
          hex('txid', 'Hash without witness'),
          hex('hash', 'Hash with witness'),
          arr('depends', 'Transactions of this list that the transaction spends', [num('Position in the list, beginning with 1')]),
          num('fee', 'Fee in satoshis'),
          num('sigops', 'Signature operation cost'),
          num('weight', 'Weight for the block limit'),
        ]),
      ]),
      dyn('coinbaseaux', 'Data for the coinbase scriptSig', [hex('key', '')]),
      num('coinbasevalue', 'Largest amount that the coinbase may pay, in satoshis'),
      str('longpollid', 'Identifier to send back in order to wait for the next template'),
      str('target', 'The hash target'),
      time('mintime', 'Earliest block time, seconds since 1970'),
      arr('mutable', 'Parts of the template that the client may change', [str('Such as "time", "transactions", "prevblock"')]),
      hex('noncerange', 'Range of valid nonces'),
      num('sigoplimit', 'Limit of signature operation cost'),
      num('sizelimit', 'Limit of the block size'),
      num('weightlimit?', 'Limit of the block weight'),
      time('curtime', 'Block time, seconds since 1970'),
      str('bits', 'Compact target of the next block'),
      num('height', 'Height of the next block'),
      hex('signet_challenge?', 'Script that blocks of a signet have to satisfy'),
      hex('default_witness_commitment?', 'Script of the commitment output for the transactions of the template'),
      num('coinbaselocktime?', 'nLockTime of the coinbase (only with the rule "consensuscleanup", BIP54)'),
      num('coinbasesequence?', `nSequence of the coinbase's input (only with the rule "consensuscleanup", BIP54)`),
      num('transactioncount?', 'Light templates: number of transactions that the node will add'),
      num('totalfees?', 'Light templates: fees of these transactions in satoshis. coinbasevalue includes them'),
      arr('merklebranch?', 'Light templates: hashes to compute the merkle root from the txid of the coinbase', [
        hex('32 bytes as they are hashed, not reversed. The hash stands on the right'),
      ]),
      str('workid?', 'Light templates: the workid for submitblock'),
    ]),
  ],
  examples: [{ cli: `'{"rules": ["segwit"]}'`, rpc: '{"rules": ["segwit"]}' }],
  waits: true,
});

/** Parses a block from hex, and ignores bytes after it. */
function decodeBlock(ctx: NodeContext, text: string): BlockView {
  return blockFromBytes(ctx, bytesOf(text));
}

/** Runs on the node thread for all proposals, and for templates that are requested in a batch. */
export const getblocktemplate: NodeRun<typeof spec> = ({ template_request }, ctx, call) => {
  const request = parseTemplateRequest(template_request);
  return request.mode === 'proposal' ? propose(ctx, decodeBlock(ctx, request.data)) : ctx.templates.getBlockTemplate(request, call.signal);
};
