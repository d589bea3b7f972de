import type { Clock } from '../../lib/clock.js';
import type { Semaphore } from '../../lib/semaphore.js';
import type { CallInfo, Run } from '../dispatch.js';
import type { JsonResult, JsonValue } from '../wire/values.js';
import type { ChainContext } from './chain.js';
import type { IndexContext } from './indexes.js';
import type { MempoolContext } from './mempool.js';
import type { MiningContext } from './mining.js';
import type { NetworkContext } from './network.js';
import type { SigningContext } from './signing.js';

/** The mock clock and the scheduler that tests move. */
export interface ClockControl extends Clock {
  /** Sets the mock time in seconds; 0 ends it. */
  setMockTime(seconds: number): void;
  /** Runs what is due in the next seconds now. */
  advanceScheduler(seconds: number): void;
}

/** Log categories. */
export interface LogControl {
  /** Names in Core's order with whether they are on. */
  categories(): readonly (readonly [name: string, on: boolean])[];
  /** False when there is no category of that name. */
  enable(name: string): boolean;
  disable(name: string): boolean;
  /** The log file's full path. */
  readonly path: string;
  /** A line for the operator. */
  info(line: string): void;
}

/** Has a call run on the wallets' thread. Rejects with the RpcError that it ends with. */
export type PassOn = (method: string, args: readonly JsonValue[], call: CallInfo) => Promise<JsonResult>;

/** Everything a node method may use. */
export interface NodeContext extends ChainContext, MempoolContext, IndexContext, MiningContext, NetworkContext, SigningContext {
  /** -deprecatedrpc */
  readonly deprecated: ReadonlySet<string>;
  /** The network's data folder, an absolute path: where relative paths of calls start. */
  readonly folder: string;
  /** What is published by ZeroMQ; absent when nothing can be. */
  readonly zmq?: readonly { readonly topic: string; readonly address: string; readonly highWaterMark: number }[];
  /** Null with -disablewallet. */
  readonly passOn: PassOn | null;
  readonly clock: ClockControl;
  readonly heavy: Semaphore;
  readonly log: LogControl;
  /** Resolves when every event up to now reached wallets, notifiers and indexes; undefined when all of them have. */
  waitForListeners(): Promise<unknown> | undefined;
  /** Warnings of the node, empty when there are none. */
  warnings(): readonly string[];
  /** Begins the end of the process, after the reply is out. */
  stop(waitMs: number): void;
  /** Fires when the node begins to stop. */
  readonly stopping: AbortSignal;
  /** Calls under way, those of wallets among them: method and start on the monotonic clock. */
  activeCommands(): Promise<readonly { readonly method: string; readonly startedMs: number }[]>;
  /** adit's version, and the commit of the build; null if unknown. */
  readonly adit: { readonly version: string; readonly commit: string | null };
  /** Start of the process, seconds since 1970. */
  readonly startedSeconds: number;
}

/** A run function of the node thread. */
export type NodeRun = Run<NodeContext>;
