import { arr, hex, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const enumeratesigners: MethodSpec = {
  name: 'enumeratesigners',
  category: 'signer',
  runs: 'node',
  since: 22,
  description: 'Lists the devices that the command of -signer finds, each master key once.',
  args: [],
  results: [obj([arr('signers', '', [obj([hex('fingerprint', 'Fingerprint of its master key'), str('name', 'Its model')])])])],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
};
