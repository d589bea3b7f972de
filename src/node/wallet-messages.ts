// Messages between the node thread and the wallets' thread, besides calls (link) and requests
// (wallet/linked-node-client.ts).

import type { MessagePort } from 'node:worker_threads';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { LinkPorts } from '../link/messages.js';
import type { Compat } from '../policy/compat.js';
import type { ClientFacts, WalletOptions } from '../wallet/node-face.js';

/** Start data of the wallets' thread. */
export interface WalletInit {
  readonly options: WalletOptions;
  readonly compat: Compat;
  readonly params: ChainParams;
  /** settings.json, undefined with -nosettings. */
  readonly settingsFile: string | undefined;
  /** -jsonrpc2 */
  readonly version2: boolean;
  readonly state: SharedArrayBuffer;
  /** Wallets that were loaded when the previous thread ended, and why they stay unloaded; null: load them again. */
  readonly again: { readonly names: readonly string[]; readonly why: string | null };
  /** Client for requests to the node: its port, its counters (CLIENT_COUNTER), and the node's current state. */
  readonly client: { readonly port: MessagePort; readonly counters: SharedArrayBuffer; readonly facts: ClientFacts };
  /** Ports of the wallets' thread for its link to the node thread. */
  readonly node: LinkPorts;
}

/** A finished call, for metrics. */
export type EndedCall = readonly [method: string, seconds: number, ok: boolean];

/** Messages to the wallets' thread. */
export type ToWallets =
  /** Requests to load the wallets of the start. Not sent if the start loads no wallets. */
  | { readonly kind: 'load' }
  | { readonly kind: 'link'; readonly front: number; readonly link: LinkPorts }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'close' }
  /** Advances the scheduler (mockscheduler). */
  | { readonly kind: 'advance'; readonly seconds: number }
  | { readonly kind: 'active'; readonly id: number };

/** Messages from the wallets' thread. */
export type FromWallets =
  | { readonly kind: 'loaded' }
  /** The wallets of the start could not be loaded. `refused` is true if the operator can fix the cause. */
  | { readonly kind: 'failed'; readonly text: string; readonly refused: boolean }
  | { readonly kind: 'line'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  | { readonly kind: 'detail'; readonly category: string; readonly text: string }
  | { readonly kind: 'ended'; readonly calls: readonly EndedCall[] }
  /** V8's memory of the thread in bytes, at intervals. */
  | { readonly kind: 'heap'; readonly bytes: number }
  | { readonly kind: 'active'; readonly id: number; readonly calls: readonly { readonly method: string; readonly ageMs: number }[] }
  /** Names of the wallets that are loaded, or are being loaded again after a failure. */
  | { readonly kind: 'wallets'; readonly names: readonly string[] }
  /** Reports that a wallet has failed. */
  | { readonly kind: 'fault'; readonly name: string; readonly text: string }
  | { readonly kind: 'closed'; readonly error: string | null };
