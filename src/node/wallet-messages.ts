// What the node thread and the wallets' thread say to each other beside calls (link) and questions
// (wallet/linked-node-client.ts).
import type { MessagePort } from 'node:worker_threads';
import type { ChainParams } from '../consensus/params/chain-params.js';
import type { LinkPorts } from '../link/messages.js';
import type { Compat } from '../policy/compat.js';
import type { ClientFacts } from '../wallet/linked-node-client.js';
import type { WalletOptions } from '../wallet/options.js';

/** What the wallets' thread is started with. */
export interface WalletInit {
  readonly options: WalletOptions;
  readonly compat: Compat;
  readonly params: ChainParams;
  /** settings.json, undefined with -nosettings. */
  readonly settingsFile: string | undefined;
  /** -jsonrpc2 */
  readonly version2: boolean;
  readonly state: SharedArrayBuffer;
  /** Wallets that were loaded when the thread before this one ended, and why they stay unloaded; null: they are loaded. */
  readonly again: { readonly names: readonly string[]; readonly why: string | null };
  /** Of the client that asks the node: its port, CLIENT_COUNTER's numbers, and where the node stands. */
  readonly client: { readonly port: MessagePort; readonly counters: SharedArrayBuffer; readonly facts: ClientFacts };
  /** Its end of the node thread's own link. */
  readonly node: LinkPorts;
}

/** A call that has ended, for metrics. */
export type EndedCall = readonly [method: string, seconds: number, ok: boolean];

/** To the wallets' thread. */
export type ToWallets =
  /** Load what is to be loaded at the start: not said when nothing is. */
  | { readonly kind: 'load' }
  | { readonly kind: 'link'; readonly front: number; readonly link: LinkPorts }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'close' }
  /** mockscheduler */
  | { readonly kind: 'advance'; readonly seconds: number }
  | { readonly kind: 'active'; readonly id: number };

/** From the wallets' thread. */
export type FromWallets =
  | { readonly kind: 'loaded' }
  /** @param refused the operator can mend it */
  | { readonly kind: 'failed'; readonly text: string; readonly refused: boolean }
  | { readonly kind: 'line'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  | { readonly kind: 'detail'; readonly category: string; readonly text: string }
  | { readonly kind: 'ended'; readonly calls: readonly EndedCall[] }
  /** V8's memory of the thread, now and then. */
  | { readonly kind: 'heap'; readonly bytes: number }
  | { readonly kind: 'active'; readonly id: number; readonly calls: readonly { readonly method: string; readonly ageMs: number }[] }
  /** Names of the wallets that are loaded, or are being loaded again after a failure. */
  | { readonly kind: 'wallets'; readonly names: readonly string[] }
  /** Reports that a wallet has failed. */
  | { readonly kind: 'fault'; readonly name: string; readonly text: string }
  | { readonly kind: 'closed'; readonly error: string | null };
