import { arr, bool, num, obj, range, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const importmulti: MethodSpec = {
  name: 'importmulti',
  category: 'wallet',
  until: 30,
  runs: 'wallet',
  holds: 'parts',
  description:
    'Imports addresses, scripts, keys and descriptors, then scans the blocks from the earliest time on. A request that fails leaves the others alone.',
  args: [
    arr('requests', 'What to import', [
      obj([
        str('desc?', 'A descriptor with checksum, instead of scriptPubKey', { holds: 'descriptor' }),
        str('scriptPubKey?', 'An output script in hex, or {"address": ...}', { typeWords: 'string / json' }),
        num('timestamp', 'From when on it matters: seconds since 1970, or "now"', { typeWords: 'numeric / string' }),
        str('redeemscript?', 'For P2SH and P2SH-P2WSH'),
        str('witnessscript?', 'For P2WSH and P2SH-P2WSH'),
        arr('pubkeys', 'Public keys that the script names by hash', { default: '[]' }, [
          str('pubKey?', 'A public key in hex', { holds: 'descriptor' }),
        ]),
        arr('keys', 'Private keys', { default: '[]' }, [str('key?', 'A private key in WIF', { holds: 'key' })]),
        range('range?', 'For ranged descriptors: last index, or first and last'),
        bool('internal', 'It is change, not to be shown as received', { default: 'false' }),
        bool('watchonly', 'Private keys are left out on purpose', { default: 'false' }),
        str('label', 'Label of the address; not with internal', { default: '""' }),
        bool('keypool', 'Add the public keys to the pool; only without private keys', { default: 'false' }),
      ]),
    ]),
    obj('options?', '', [bool('rescan', 'Scan the blocks afterwards', { default: 'true' })]),
  ],
  results: [
    arr('One for each request, in order', [
      obj([
        bool('success', 'Whether it was imported'),
        arr('warnings?', 'Things to know', [str('A warning')]),
        obj('error?', 'Why not', [num('code', 'Code'), str('message', 'Text')]),
      ]),
    ]),
  ],
  examples: [{ cli: '\'[{ "scriptPubKey": { "address": "<my address>" }, "timestamp":1455191478 }]\'' }],
  waits: true,
};
