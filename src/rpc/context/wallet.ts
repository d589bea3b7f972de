// Everything that methods of wallets need. It can be created on a thread that has no node. Amounts are satoshis.
import type { NodeClient, SpendTools, WalletManager } from '../../wallet/index.js';
import type { ParametersOf, ResultOf } from '../declare/parameters.js';
import type { MethodSpec } from '../declare/types.js';
import type { Run } from '../dispatch.js';
import type { SigningContext } from './signing.js';

export interface WalletContext extends SigningContext {
  readonly wallets: WalletManager;
  /** Tools for payments: fee estimates, signing, broadcast. */
  readonly spend: SpendTools;
  readonly client: NodeClient;
}

/** Run function of a method of wallets. */
export type WalletRun<S extends MethodSpec> = Run<WalletContext, ParametersOf<S>, ResultOf<S>>;
