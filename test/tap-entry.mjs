// What tests import as `tap` (bundled by src/bundle.mjs): tap, with a default export that stands for the test of one
// file. A process that runs one file leaves it at tap's root. A process that runs several (test/run-batch.mjs) points it
// at a subtest of the root for each file.
import { t as root } from 'tap';

export * from 'tap';

let current = root;

/** Makes a test the one that the default export stands for. */
export function enterFile(test) {
  current = test;
}

const fileTest = new Proxy(root, {
  get(_root, name) {
    const value = current[name];
    return typeof value === 'function' ? value.bind(current) : value;
  },
});

// biome-ignore lint/style/noDefaultExport: tests import tap by its default export
export { fileTest as default };
