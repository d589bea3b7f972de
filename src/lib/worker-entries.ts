// Entry modules of the worker threads. All of them are named here, because a path relative to the source is valid only
// if the file that contains it lies as deep in the bundle (src/bundle.mjs) as in src.
export const WORKER_ENTRY = {
  assemble: new URL('../../workers/assemble.js', import.meta.url),
  coins: new URL('../../workers/coins.js', import.meta.url),
  engine: new URL('../../workers/engine.js', import.meta.url),
  fleet: new URL('../../workers/fleet.js', import.meta.url),
  front: new URL('../../workers/front.js', import.meta.url),
  render: new URL('../../workers/render.js', import.meta.url),
  peers: new URL('../../workers/peers.js', import.meta.url),
  storage: new URL('../../workers/storage.js', import.meta.url),
  stratum: new URL('../../workers/stratum.js', import.meta.url),
  sv2: new URL('../../workers/sv2.js', import.meta.url),
  wallet: new URL('../../workers/wallet.js', import.meta.url),
  verify: new URL('../../workers/verify.js', import.meta.url),
} as const;

/** WebAssembly of the download engine, compiled from src/engine/kernel. */
export const ENGINE_KERNEL: URL = new URL('../../workers/engine-kernel.wasm', import.meta.url);
