// Declares getblocktemplate; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const getblocktemplate: MethodSpec = {
  name: 'getblocktemplate',
  category: 'mining',
  runs: 'node',
  description:
    'Gives everything a miner needs to build a block on the current tip.\nWith mode "proposal" it checks a block without proof of work instead. With a longpollid the reply waits\nuntil the tip changes or the pool has gained. With the capability "light" (not in Core; mode "live" only, see -templatemode)\nthe template comes without its transactions. See BIPs 22, 23, 9 and 145.',
  args: [
    {
      name: 'template_request',
      type: 'obj',
      default: '{}',
      help: 'What the client wants',
      oneline: '"template_request"',
      inner: [
        { name: 'mode', type: 'str', optional: true, help: '"template", "proposal" or absent' },
        {
          name: 'capabilities',
          type: 'arr',
          optional: true,
          help: 'Abilities of the client',
          inner: [
            {
              name: 'support',
              type: 'str',
              optional: true,
              help: 'Such as "longpoll", "coinbasevalue", "proposal"; only "light" changes the reply',
            },
          ],
        },
        {
          name: 'rules',
          type: 'arr',
          optional: true,
          help: 'Soft forks the client supports; needed for a template',
          inner: [
            {
              name: 'support',
              type: 'str',
              optional: true,
              help: 'Such as "segwit", which is required; "consensuscleanup" adds what BIP54 asks of a coinbase',
            },
          ],
        },
        { name: 'longpollid', type: 'str', optional: true, help: 'As in the template the client has' },
        { name: 'data', type: 'hex', optional: true, help: 'The block, in mode "proposal"' },
      ],
    },
  ],
  results: [
    { type: 'none', when: 'a proposal that is valid', help: '' },
    { type: 'str', when: 'a proposal that is not', help: 'The reason, as BIP22 names it' },
    {
      type: 'obj',
      when: 'otherwise',
      help: '',
      inner: [
        { type: 'arr', key: 'capabilities', help: 'What this server can do', inner: [{ type: 'str', help: '' }] },
        { type: 'num', key: 'version', help: 'The preferred block version' },
        {
          type: 'arr',
          key: 'rules',
          help: 'Rules that will be enforced; an exclamation mark means the client must know it',
          inner: [{ type: 'str', help: 'Name of a rule' }],
        },
        {
          type: 'obj-dyn',
          key: 'vbavailable',
          help: 'Deployments that may be signalled for',
          inner: [{ type: 'num', key: 'rulename', help: 'Its bit of the version' }],
        },
        { type: 'num', key: 'vbrequired', help: 'Version bits that must be set' },
        { type: 'str', key: 'previousblockhash', help: 'Hash of the tip' },
        {
          type: 'arr',
          key: 'transactions',
          help: 'Transactions to put after the coinbase, in order; none in a light template',
          inner: [
            {
              type: 'obj',
              help: '',
              inner: [
                { type: 'hex', key: 'data', help: 'The whole transaction' },
                { type: 'hex', key: 'txid', help: 'Hash without witness' },
                { type: 'hex', key: 'hash', help: 'Hash with witness' },
                {
                  type: 'arr',
                  key: 'depends',
                  help: 'Transactions of this list that it spends',
                  inner: [{ type: 'num', help: 'Position, the first is 1' }],
                },
                { type: 'num', key: 'fee', help: 'Fee in satoshis' },
                { type: 'num', key: 'sigops', help: 'Signature operation cost' },
                { type: 'num', key: 'weight', help: 'Weight for the block limit' },
              ],
            },
          ],
        },
        { type: 'obj-dyn', key: 'coinbaseaux', help: 'Data for the coinbase scriptSig', inner: [{ type: 'hex', key: 'key', help: '' }] },
        { type: 'num', key: 'coinbasevalue', help: 'The most the coinbase may pay, in satoshis' },
        { type: 'str', key: 'longpollid', help: 'To be sent back to wait for the next template' },
        { type: 'str', key: 'target', help: 'The hash target' },
        { type: 'num-time', key: 'mintime', help: 'Earliest block time, seconds since 1970' },
        {
          type: 'arr',
          key: 'mutable',
          help: 'What may be changed',
          inner: [{ type: 'str', help: 'Such as "time", "transactions", "prevblock"' }],
        },
        { type: 'hex', key: 'noncerange', help: 'Range of valid nonces' },
        { type: 'num', key: 'sigoplimit', help: 'Limit of signature operation cost' },
        { type: 'num', key: 'sizelimit', help: 'Limit of the block size' },
        { type: 'num', key: 'weightlimit', optional: true, help: 'Limit of the block weight' },
        { type: 'num-time', key: 'curtime', help: 'Block time, seconds since 1970' },
        { type: 'str', key: 'bits', help: 'Compact target of the next block' },
        { type: 'num', key: 'height', help: 'Height of the next block' },
        { type: 'hex', key: 'signet_challenge', optional: true, help: 'Script that blocks of a signet have to satisfy' },
        {
          type: 'hex',
          key: 'default_witness_commitment',
          optional: true,
          help: 'Script of the commitment output for the transactions of the template',
        },
        {
          type: 'num',
          key: 'coinbaselocktime',
          optional: true,
          help: 'With the rule "consensuscleanup" (BIP54): nLockTime that the coinbase uses',
        },
        { type: 'num', key: 'coinbasesequence', optional: true, help: 'The same: nSequence of its input' },
        { type: 'num', key: 'transactioncount', optional: true, help: 'Light: how many transactions the node will add' },
        { type: 'num', key: 'totalfees', optional: true, help: 'Light: their fees in satoshis, contained in coinbasevalue' },
        {
          type: 'arr',
          key: 'merklebranch',
          optional: true,
          help: "Light: siblings on the way from the coinbase's txid to the merkle root",
          inner: [{ type: 'hex', help: '32 bytes as they are hashed, not reversed' }],
        },
        { type: 'str', key: 'workid', optional: true, help: 'Light: to be given to submitblock' },
      ],
    },
  ],
  examples: [{ cli: `'{"rules": ["segwit"]}'`, rpc: '{"rules": ["segwit"]}' }],
  waits: true,
};
