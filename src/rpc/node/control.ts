// The node itself: clocks for tests, logging, memory, stop, getrpcinfo, and the method that only says it is gone.
import { asInt, asInt64, asString, checkTypes } from '../args.js';
import { generate as generateSpec } from '../declare/generate.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { renderHelp } from '../help.js';
import { JsonNumber, type JsonValue } from '../wire/values.js';
import type { LogControl, NodeContext } from './context.js';

type NodeRun = Run<NodeContext>;

/** Seconds that fit a signed 64-bit count of nanoseconds. */
const MAX_MOCK_SECONDS = 9_223_372_036n;
const MAX_SCHEDULER_STEP = 3600n;

export const regtestOnly = (ctx: NodeContext, method: string) => {
  if (ctx.params.name !== 'regtest') {
    fail(RPC_CODE.MISC_ERROR, `${method} is for regression testing (-regtest mode) only`);
  }
};

export const setmocktime: NodeRun = (ctx, args) => {
  regtestOnly(ctx, 'setmocktime');
  checkTypes(args, ['number']);
  const seconds = asInt64(args[0]);
  if (seconds < 0n) fail(RPC_CODE.INVALID_PARAMETER, `Mocktime can not be negative: ${seconds}.`);
  if (seconds > MAX_MOCK_SECONDS) {
    fail(RPC_CODE.INVALID_PARAMETER, `Mocktime must be in the range [0, ${MAX_MOCK_SECONDS}], not ${seconds}.`);
  }
  ctx.clock.setMockTime(Number(seconds));
  return null;
};

export const mockscheduler: NodeRun = (ctx, args) => {
  regtestOnly(ctx, 'mockscheduler');
  checkTypes(args, ['number']);
  const seconds = asInt64(args[0]);
  if (seconds <= 0n || seconds > MAX_SCHEDULER_STEP) {
    fail(RPC_CODE.MISC_ERROR, 'delta_time must be between 1 and 3600 seconds (1 hr)');
  }
  ctx.clock.advanceScheduler(Number(seconds));
  return null;
};

export const syncwithvalidationinterfacequeue: NodeRun = async (ctx) => {
  await ctx.settle();
  return null;
};

/** The page is the message: not found when called properly, the count error's page otherwise. */
export const generate: NodeRun = ({ compat }) => fail(RPC_CODE.METHOD_NOT_FOUND, renderHelp({ ...generateSpec, compat }));

export const stop: NodeRun = (ctx, args) => {
  const wait = args[0] instanceof JsonNumber ? asInt(args[0]) : 0;
  ctx.stop(Math.max(0, wait));
  return 'Bitcoin Core stopping';
};

export const getrpcinfo: NodeRun = (ctx) => {
  const now = ctx.clock.monotonicMs();
  return {
    active_commands: ctx.activeCommands().map(({ method, startedMs }) => ({
      method,
      duration: Math.max(0, Math.round((now - startedMs) * 1000)),
    })),
    logpath: ctx.log.path,
  };
};

export const getzmqnotifications: NodeRun = (ctx) =>
  (ctx.zmq ?? []).map(({ topic, address, highWaterMark }) => ({ type: `pub${topic}`, address, hwm: highWaterMark }));

/** Nothing here is kept in locked pages, which is what this reports on. */
export const getmemoryinfo: NodeRun = (_ctx, args) => {
  const mode = (args[0] ?? null) === null ? 'stats' : asString(args[0]);
  if (mode === 'stats') return { locked: { used: 0, free: 0, total: 0, locked: 0, chunks_used: 0, chunks_free: 0 } };
  if (mode === 'mallocinfo') {
    return fail(RPC_CODE.INVALID_PARAMETER, 'mallocinfo is only available when compiled with glibc 2.10+');
  }
  return fail(RPC_CODE.INVALID_PARAMETER, `unknown mode ${mode}`);
};

/** Turns the named categories on or off; those before a bad name stay changed. */
function switchCategories(log: LogControl, names: readonly JsonValue[], on: boolean): void {
  const turn = (name: string) => (on ? log.enable(name) : log.disable(name));
  for (const value of names) {
    const name = asString(value);
    if (name === '' || name === 'all' || name === '1') for (const [each] of log.categories()) turn(each);
    else if (name !== 'none' && name !== '0' && !turn(name)) {
      fail(RPC_CODE.INVALID_PARAMETER, `unknown logging category ${name}`);
    }
  }
}

export const logging: NodeRun = (ctx, args) => {
  const [include, exclude] = args;
  if (Array.isArray(include)) switchCategories(ctx.log, include, true);
  if (Array.isArray(exclude)) switchCategories(ctx.log, exclude, false);
  return Object.fromEntries(ctx.log.categories());
};
