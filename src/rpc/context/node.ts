import type { Clock } from '../../lib/clock.js';
import type { ParametersOf, ResultOf } from '../declare/parameters.js';
import type { MethodSpec } from '../declare/types.js';
import type { CallInfo, Run } from '../dispatch.js';
import type { JsonResult, JsonValue } from '../wire/values.js';
import type { ChainContext } from './chain.js';
import type { IndexContext } from './indexes.js';
import type { MempoolContext } from './mempool.js';
import type { MiningContext } from './mining.js';
import type { NetworkContext } from './network.js';
import type { SigningContext } from './signing.js';

/** Clock and scheduler, which setmocktime and mockscheduler change. */
export interface ClockControl extends Clock {
  /** Sets the mock time in seconds since 1970; 0 returns to the real clock. */
  setMockTime(seconds: number): void;
  /** Runs the tasks that are due within the next `seconds` immediately. */
  advanceScheduler(seconds: number): void;
}

/** Log categories. */
export interface LogControl {
  /** Returns all categories in Core's order, with whether they are on. */
  categories(): readonly (readonly [name: string, on: boolean])[];
  /** Switches a category on. Returns false if it does not exist. */
  enable(name: string): boolean;
  disable(name: string): boolean;
  /** Full path of the log file. */
  readonly path: string;
  /** Logs a line for the operator. */
  info(line: string): void;
}

/** Runs a call on the wallets' thread. Rejects with the RpcError that the call ends with. */
export type PassOn = (method: string, args: readonly JsonValue[], call: CallInfo) => Promise<JsonResult>;

/** Context of methods on the node thread. */
export interface NodeContext extends ChainContext, MempoolContext, IndexContext, MiningContext, NetworkContext, SigningContext {
  /** Values of -deprecatedrpc: old members and behaviour of methods that the operator enabled. */
  readonly deprecated: ReadonlySet<string>;
  /** Absolute path of the network's data folder. Relative paths in calls start there. */
  readonly folder: string;
  /** ZeroMQ publishers; undefined if ZeroMQ is not available. */
  readonly zmq?: readonly { readonly topic: string; readonly address: string; readonly highWaterMark: number }[];
  /** Runs a call on the wallets' thread; null with -disablewallet. */
  readonly passOn: PassOn | null;
  readonly clock: ClockControl;
  readonly log: LogControl;
  /** Waits until every event so far has reached wallets, notifiers, and indexes; undefined if that is already so. */
  waitForListeners(): Promise<unknown> | undefined;
  /** Returns the current warnings of the node. */
  warnings(): readonly string[];
  /** Starts the shutdown after the reply was sent. */
  stop(waitMs: number): void;
  /** Aborted when the shutdown starts. */
  readonly stopping: AbortSignal;
  /** Returns the calls in progress, including those of wallets. Start times are by the monotonic clock. */
  activeCommands(): Promise<readonly { readonly method: string; readonly startedMs: number }[]>;
  /** adit's version, and the commit of the build; null if unknown. */
  readonly adit: { readonly version: string; readonly commit: string | null };
  /** Start of the process in seconds since 1970. */
  readonly startedSeconds: number;
}

/** Run function of a method on the node thread. */
export type NodeRun<S extends MethodSpec> = Run<NodeContext, ParametersOf<S>, ResultOf<S>>;
