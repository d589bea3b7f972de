// The options of policy: what an operator gives, in the names that policy has for it. Rates in satoshis per 1,000
// virtual bytes.

import type { Compat } from './compat.js';
import { DEFAULT_POLICY } from './options.js';

export const POLICY_ROWS = {
  acceptNonStandard: [
    'acceptnonstdtxn',
    'bool',
    'Take non-standard transactions, test chains only (default: 0; with -compat=0.21.1: 1 on testnet3)',
  ],
  minRelayFeeRate: [
    'minrelaytxfee',
    'amount',
    'Lowest fee rate taken into the mempool, BTC/kvB (default: {default}; with -compat=0.21.1 {0.21.1})',
    ({ policy }: Compat) => policy.relayFeeRate,
  ],
  incrementalFeeRate: [
    'incrementalrelayfee',
    'amount',
    'Fee rate step for replacement and the rolling minimum, BTC/kvB (default: {default}; with -compat=0.21.1 {0.21.1})',
    ({ policy }: Compat) => policy.relayFeeRate,
  ],
  dustFeeRate: ['dustrelayfee', 'amount', 'Fee rate that defines dust, BTC/kvB', DEFAULT_POLICY.dustFeeRate],
  dataCarrier: ['datacarrier', 'bool', 'Take OP_RETURN outputs', DEFAULT_POLICY.dataCarrier],
  dataCarrierBytes: [
    'datacarriersize',
    'int',
    'Bytes of OP_RETURN scripts taken, all of a transaction together (default: {default}); with -compat=0.21.1 of the only one (default: {0.21.1})',
    ({ policy }: Compat) => policy.dataCarrierBytes,
  ],
  permitBareMultisig: ['permitbaremultisig', 'bool', 'Take bare multisig outputs', DEFAULT_POLICY.permitBareMultisig],
  bytesPerSigop: ['bytespersigop', 'int', 'Virtual bytes charged per signature operation', DEFAULT_POLICY.bytesPerSigop],
} as const;
