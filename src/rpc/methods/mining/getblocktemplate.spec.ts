import { amount, arr, dyn, hex, none, num, obj, str, time } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const getblocktemplate: MethodSpec = {
  name: 'getblocktemplate',
  category: 'mining',
  runs: 'node',
  repeatable: true,
  description:
    'Gives everything a miner needs to build a block on the current tip.\nWith mode "proposal" it checks a block without proof of work instead. With a longpollid the reply waits\nuntil the tip changes or the pool has gained. With the capability "light" (not in Core; mode "live" only, see -templatemode)\nthe template comes without its transactions. See BIPs 22, 23, 9 and 145.',
  args: [
    obj('template_request', 'What the client wants', { default: '{}', required: 26, oneline: '"template_request"' }, [
      str('mode?', '"template", "proposal" or absent'),
      arr('capabilities?', 'Abilities of the client', [
        str('support?', 'Such as "longpoll", "coinbasevalue", "proposal"; only "light" changes the reply'),
      ]),
      arr('rules?', 'Soft forks the client supports; needed for a template', [
        str('support?', 'Such as "segwit", which is required; "consensuscleanup" adds what BIP54 asks of a coinbase'),
      ]),
      str('longpollid?', 'As in the template the client has'),
      num('maxweight?', 'Not in Core: weight of the block with what is kept free for header and coinbase, 4000 to 4000000'),
      num('maxsigops?', "Not in Core: signature operation cost of the block with the coinbase's 400, 400 to 80000"),
      amount('minfeerate?', 'Not in Core: least fee rate of a package in BTC/kvB'),
      arr('exclude?', 'Not in Core: transactions that stay out with all that depends on them, 1000 at most', [hex('txid?', '')]),
      hex('data?', 'The block, in mode "proposal"'),
    ]),
  ],
  results: [
    none({ when: 'a proposal that is valid' }),
    str('The reason, as BIP22 names it', { when: 'a proposal that is not' }),
    obj({ when: 'otherwise' }, [
      arr('capabilities', 'What this server can do', [str()]),
      num('version', 'The preferred block version'),
      arr('rules', 'Rules that will be enforced; an exclamation mark means the client must know it', [str('Name of a rule')]),
      dyn('vbavailable', 'Deployments that may be signalled for', [num('rulename', 'Its bit of the version')]),
      num('vbrequired', 'Version bits that must be set'),
      str('previousblockhash', 'Hash of the tip'),
      arr('transactions', 'Transactions to put after the coinbase, in order; none in a light template', [
        obj([
          hex('data', 'The whole transaction'),
          hex('txid', 'Hash without witness'),
          hex('hash', 'Hash with witness'),
          arr('depends', 'Transactions of this list that it spends', [num('Position, the first is 1')]),
          num('fee', 'Fee in satoshis'),
          num('sigops', 'Signature operation cost'),
          num('weight', 'Weight for the block limit'),
        ]),
      ]),
      dyn('coinbaseaux', 'Data for the coinbase scriptSig', [hex('key', '')]),
      num('coinbasevalue', 'The most the coinbase may pay, in satoshis'),
      str('longpollid', 'To be sent back to wait for the next template'),
      str('target', 'The hash target'),
      time('mintime', 'Earliest block time, seconds since 1970'),
      arr('mutable', 'What may be changed', [str('Such as "time", "transactions", "prevblock"')]),
      hex('noncerange', 'Range of valid nonces'),
      num('sigoplimit', 'Limit of signature operation cost'),
      num('sizelimit', 'Limit of the block size'),
      num('weightlimit?', 'Limit of the block weight'),
      time('curtime', 'Block time, seconds since 1970'),
      str('bits', 'Compact target of the next block'),
      num('height', 'Height of the next block'),
      hex('signet_challenge?', 'Script that blocks of a signet have to satisfy'),
      hex('default_witness_commitment?', 'Script of the commitment output for the transactions of the template'),
      num('coinbaselocktime?', 'With the rule "consensuscleanup" (BIP54): nLockTime that the coinbase uses'),
      num('coinbasesequence?', 'The same: nSequence of its input'),
      num('transactioncount?', 'Light: how many transactions the node will add'),
      num('totalfees?', 'Light: their fees in satoshis, contained in coinbasevalue'),
      arr('merklebranch?', "Light: siblings on the way from the coinbase's txid to the merkle root", [
        hex('32 bytes as they are hashed, not reversed'),
      ]),
      str('workid?', 'Light: to be given to submitblock'),
    ]),
  ],
  examples: [{ cli: `'{"rules": ["segwit"]}'`, rpc: '{"rules": ["segwit"]}' }],
  waits: true,
};
