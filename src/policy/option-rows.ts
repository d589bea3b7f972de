// The options of policy: what an operator gives, in the names that policy has for it. Rates in satoshis per 1,000
// virtual bytes.

import type { Compat } from './compat.js';
import { DEFAULT_POLICY } from './options.js';

export const POLICY_ROWS = {
  minRelayFeeRate: {
    flag: 'minrelaytxfee',
    type: 'amount',
    default: ({ policy }: Compat) => policy.relayFeeRate,
    help: 'Lowest fee rate taken into the mempool, BTC/kvB (default: {default}; with -compat=0.21.1 {0.21.1})',
  },
  incrementalFeeRate: {
    flag: 'incrementalrelayfee',
    type: 'amount',
    default: ({ policy }: Compat) => policy.relayFeeRate,
    help: 'Fee rate step for replacement and the rolling minimum, BTC/kvB (default: {default}; with -compat=0.21.1 {0.21.1})',
  },
  dustFeeRate: {
    flag: 'dustrelayfee',
    type: 'amount',
    default: DEFAULT_POLICY.dustFeeRate,
    help: 'Fee rate that defines dust, BTC/kvB (default: {default})',
  },
  dataCarrier: {
    flag: 'datacarrier',
    type: 'bool',
    default: DEFAULT_POLICY.dataCarrier,
    help: 'Take OP_RETURN outputs (default: {default})',
  },
  dataCarrierBytes: {
    flag: 'datacarriersize',
    type: 'int',
    default: ({ policy }: Compat) => policy.dataCarrierBytes,
    help: 'Bytes of OP_RETURN scripts taken, all of a transaction together (default: {default}); with -compat=0.21.1 of the only one (default: {0.21.1})',
  },
  permitBareMultisig: {
    flag: 'permitbaremultisig',
    type: 'bool',
    default: DEFAULT_POLICY.permitBareMultisig,
    help: 'Take bare multisig outputs (default: {default})',
  },
  bytesPerSigop: {
    flag: 'bytespersigop',
    type: 'int',
    default: DEFAULT_POLICY.bytesPerSigop,
    help: 'Virtual bytes charged per signature operation (default: {default})',
  },
} as const;
