// Options of policy for operators. Each key is the name that the policy module uses. Rates in satoshis per 1,000
// virtual bytes.

import type { Compat } from './compat.js';
import { DEFAULT_POLICY } from './options.js';

export const POLICY_ROWS = {
  acceptNonStandard: [
    'acceptnonstdtxn',
    'bool',
    'Accept non-standard transactions. Test chains only (default: 0; with -compat=0.21.1: 1 on testnet3)',
  ],
  minRelayFeeRate: [
    'minrelaytxfee',
    'amount',
    'Lowest fee rate that the mempool accepts, in BTC/kvB (default: {default}; with -compat=0.21.1 {0.21.1})',
    ({ policy }: Compat) => policy.relayFeeRate,
  ],
  incrementalFeeRate: [
    'incrementalrelayfee',
    'amount',
    'Fee rate increment for replacements and for the minimum fee rate of a full mempool, in BTC/kvB (default: {default}; with -compat=0.21.1 {0.21.1})',
    ({ policy }: Compat) => policy.relayFeeRate,
  ],
  dustFeeRate: ['dustrelayfee', 'amount', 'Fee rate that defines dust, BTC/kvB', DEFAULT_POLICY.dustFeeRate],
  dataCarrier: ['datacarrier', 'bool', 'Accept OP_RETURN outputs', DEFAULT_POLICY.dataCarrier],
  dataCarrierBytes: [
    'datacarriersize',
    'int',
    'Maximum size in bytes of all OP_RETURN scripts of a transaction together (default: {default}). With -compat=0.21.1 only one such script is allowed (default: {0.21.1})',
    ({ policy }: Compat) => policy.dataCarrierBytes,
  ],
  permitBareMultisig: ['permitbaremultisig', 'bool', 'Accept bare multisig outputs', DEFAULT_POLICY.permitBareMultisig],
  bytesPerSigop: ['bytespersigop', 'int', 'Virtual bytes that each signature operation counts', DEFAULT_POLICY.bytesPerSigop],
} as const;
