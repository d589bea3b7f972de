// Declares importmulti.
import type { MethodSpec } from '../../declare/types.js';

export const importmulti: MethodSpec = {
  name: 'importmulti',
  category: 'wallet',
  runs: 'wallet',
  holds: 'wallet',
  description:
    'Imports addresses, scripts, keys and descriptors, then scans the blocks from the earliest time on. A request that fails leaves the others alone.',
  args: [
    {
      name: 'requests',
      type: 'arr',
      help: 'What to import',
      inner: [
        {
          name: '',
          type: 'obj',
          help: '',
          inner: [
            { name: 'desc', type: 'str', holds: 'descriptor', optional: true, help: 'A descriptor with checksum, instead of scriptPubKey' },
            {
              name: 'scriptPubKey',
              type: 'str',
              typeWords: 'string / json',
              optional: true,
              help: 'An output script in hex, or {"address": ...}',
            },
            {
              name: 'timestamp',
              type: 'num',
              typeWords: 'numeric / string',
              help: 'From when on it matters: seconds since 1970, or "now"',
            },
            { name: 'redeemscript', type: 'str', optional: true, help: 'For P2SH and P2SH-P2WSH' },
            { name: 'witnessscript', type: 'str', optional: true, help: 'For P2WSH and P2SH-P2WSH' },
            {
              name: 'pubkeys',
              type: 'arr',
              default: '[]',
              help: 'Public keys that the script names by hash',
              inner: [{ name: 'pubKey', type: 'str', holds: 'descriptor', optional: true, help: 'A public key in hex' }],
            },
            {
              name: 'keys',
              type: 'arr',
              default: '[]',
              help: 'Private keys',
              inner: [{ name: 'key', type: 'str', holds: 'key', optional: true, help: 'A private key in WIF' }],
            },
            { name: 'range', type: 'range', optional: true, help: 'For ranged descriptors: last index, or first and last' },
            { name: 'internal', type: 'bool', default: 'false', help: 'It is change, not to be shown as received' },
            { name: 'watchonly', type: 'bool', default: 'false', help: 'Private keys are left out on purpose' },
            { name: 'label', type: 'str', default: '""', help: 'Label of the address; not with internal' },
            { name: 'keypool', type: 'bool', default: 'false', help: 'Add the public keys to the pool; only without private keys' },
          ],
        },
      ],
    },
    {
      name: 'options',
      type: 'obj',
      optional: true,
      help: '',
      inner: [{ name: 'rescan', type: 'bool', default: 'true', help: 'Scan the blocks afterwards' }],
    },
  ],
  results: [
    {
      type: 'arr',
      help: 'One for each request, in order',
      inner: [
        {
          type: 'obj',
          help: '',
          inner: [
            { type: 'bool', key: 'success', help: 'Whether it was imported' },
            { type: 'arr', key: 'warnings', optional: true, help: 'Things to know', inner: [{ type: 'str', help: 'A warning' }] },
            {
              type: 'obj',
              key: 'error',
              optional: true,
              help: 'Why not',
              inner: [
                { type: 'num', key: 'code', help: 'Code' },
                { type: 'str', key: 'message', help: 'Text' },
              ],
            },
          ],
        },
      ],
    },
  ],
  examples: [{ cli: '\'[{ "scriptPubKey": { "address": "<my address>" }, "timestamp":1455191478 }]\'' }],
  waits: true,
};
