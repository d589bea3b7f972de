// Loads the bundles of commands and threads with V8's code cache, which spares their compilation
// (docs/decisions/0083-v8-code-cache.md).
const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');
const { Script } = require('node:vm');
const { threadId } = require('node:worker_threads');

/** Milliseconds from the load to the copy of the compiled functions: by then most that a start needs have run. */
const WRITE_AFTER_MS = 5000;

/** Writes the cache unless the folder is read-only. Takes the thread 1 ms for each 40 kB, once per build and Node.js version. */
function writeCache(script, file) {
  fs.access(path.dirname(file), fs.constants.W_OK, (refused) => {
    if (refused) return;
    const temporary = `${file}.${process.pid}-${threadId}`;
    // Synced before it gets its name: V8 checks the length of a cache, but no checksum.
    fs.writeFile(temporary, script.createCachedData(), { flush: true }, (failed) => {
      if (failed) fs.rm(temporary, { force: true }, () => {});
      else fs.rename(temporary, file, () => {});
    });
  });
}

/**
 * Runs a bundle (src/bundle.mjs) as a CommonJS module and returns its exports. The name of its cache has the digest at
 * the end of the bundle, so that no other build's cache is taken. V8 rejects the cache of another version or of
 * other options of V8; then the bundle is compiled, and a new cache replaces that one.
 * @param {string} file absolute path
 */
exports.loadBundle = (file, writeAfterMs = WRITE_AFTER_MS) => {
  // Bundles are ASCII: read as Latin-1, the text needs no decoding and one byte for each character.
  const code = fs.readFileSync(file, 'latin1');
  const cache = `${file}.${code.slice(-33, -1)}-${process.arch}-${process.version}.cache`;
  let cachedData;
  try {
    cachedData = fs.readFileSync(cache);
  } catch {
    // There is none yet, or it belongs to another user.
  }
  const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${code}\n})`, {
    filename: file,
    cachedData,
  });
  if (script.cachedDataRejected !== false) setTimeout(writeCache, writeAfterMs, script, cache).unref();
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file));
  return module.exports;
};
