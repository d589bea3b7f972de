// Core 31: rpc/external_signer.cpp, wallet/external_signer_scriptpubkeyman.cpp.

import type { NodeRun } from '../../context/node.js';
import { fail, RPC_CODE } from '../../errors.js';
import { NO_COMMAND, signerFailed } from '../../wallet/external-signer.js';
import type { enumeratesigners as spec } from './enumeratesigners.spec.js';

export const enumeratesigners: NodeRun<typeof spec> = async (_, { externalSigner }) => {
  const signer = externalSigner ?? fail(RPC_CODE.MISC_ERROR, `Error: ${NO_COMMAND}`);
  const devices = await signer.enumerate().catch(signerFailed);
  return { signers: devices.map(({ fingerprint, name }) => ({ fingerprint, name })) };
};
