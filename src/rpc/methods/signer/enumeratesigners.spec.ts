import { arr, hex, obj, str } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const enumeratesigners: MethodSpec = {
  name: 'enumeratesigners',
  category: 'signer',
  runs: 'node',
  since: 22,
  description: 'Returns the devices that the command of -signer finds. Each master key appears once.',
  args: [],
  results: [obj([arr('signers', '', [obj([hex('fingerprint', 'Fingerprint of its master key'), str('name', 'Model of the device')])])])],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
};
