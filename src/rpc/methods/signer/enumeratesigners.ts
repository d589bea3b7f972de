// Core 31: rpc/external_signer.cpp, wallet/external_signer_scriptpubkeyman.cpp.

import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, hex, obj, str } from '../../declare/parts.js';
import { fail, RPC_CODE } from '../../errors.js';
import { NO_COMMAND, signerFailed } from '../../wallet/external-signer.js';

export const spec = declare({
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

export const enumeratesigners: NodeRun<typeof spec> = async (_, { externalSigner }) => {
  const signer = externalSigner ?? fail(RPC_CODE.MISC_ERROR, `Error: ${NO_COMMAND}`);
  const devices = await signer.enumerate().catch(signerFailed);
  return { signers: devices.map(({ fingerprint, name }) => ({ fingerprint, name })) };
};
