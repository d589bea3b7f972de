// What tap as the build bundles it (src/bundle.mjs) has in place of the package async-hook-domain: finds the test that
// an error belongs to which nothing catches. The package is told of the end of every promise too, and follows each in a
// map: a tenth to a third of the processor time of tests that make many.
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage();
let living = 0;
const { emit } = process;

/** Gives an error to the innermost test around it that has not ended. @returns whether there was one */
function give(error, type) {
  // Who listens to such errors deals with them.
  if (process.hasUncaughtExceptionCaptureCallback() || process.listenerCount('uncaughtException') > 0) return false;
  let domain = current.getStore();
  while (domain?.ended) domain = domain.parent;
  domain?.onerror(error, type);
  return domain !== undefined;
}

function onUncaught(error, type) {
  // Once: the process goes on after this error.
  if (give(error, type)) process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null));
}

function listen() {
  process.on('uncaughtExceptionMonitor', onUncaught);
  // Without a listener, which tests would find among their own.
  process.emit = (event, ...args) =>
    event === 'unhandledRejection' && process.listenerCount(event) === 0 ? give(args[0], event) : emit.call(process, event, ...args);
}

function leave() {
  process.off('uncaughtExceptionMonitor', onUncaught);
  process.emit = emit;
}

export class Domain {
  ended = false;
  parent = current.getStore();

  /** Takes errors of the asynchronous resource that runs, and of all that comes of it. */
  constructor(onerror) {
    this.onerror = onerror;
    current.enterWith(this);
    if (living++ === 0) listen();
  }

  destroy() {
    if (this.ended) return;
    this.ended = true;
    if (--living === 0) leave();
  }
}
