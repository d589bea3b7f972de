import { declare } from '../../declare/parameters.js';
import { arr, hex, obj, str } from '../../declare/parts.js';

export const enumeratesigners = declare({
  name: 'enumeratesigners',
  category: 'signer',
  runs: 'node',
  since: 22,
  description: 'Returns the devices that the command of -signer finds. Each master key appears once.',
  args: [],
  results: [obj([arr('signers', '', [obj([hex('fingerprint', 'Fingerprint of its master key'), str('name', 'Model of the device')])])])],
  examples: [{ cli: '', rpc: '' }],
  waits: true,
});
