// What the wallets' methods need, and all that they need: it can be put together on a thread that has no node. Amounts
// are satoshis.
import type { WalletManager } from '../../wallet/manage/wallet-manager.js';
import type { NodeClient } from '../../wallet/node-client.js';
import type { SpendTools } from '../../wallet/spend/payment.js';
import type { Run } from '../dispatch.js';
import type { SigningContext } from './signing.js';

export interface WalletContext extends SigningContext {
  readonly wallets: WalletManager;
  /** What payments of wallets are made with. */
  readonly spend: SpendTools;
  readonly client: NodeClient;
}

/** A run function of the wallets. */
export type WalletRun = Run<WalletContext>;
