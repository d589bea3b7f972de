// Runs several compiled test files in one process, one after another, each as a subtest of tap's root:
//
//   node test/run-batch.mjs FILE...
//
// Small files take less time to run than a process takes to start. Modules that files share are loaded once.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';

// tap names the folders of tests after the arguments.
const files = process.argv.splice(2);
const tests = path.join(path.dirname(import.meta.dirname), 'build', 'test');
const { enterFile, t } = await import(pathToFileURL(createRequire(path.join(tests, 'any.js')).resolve('tap')).href);
for (const file of files) {
  // As test/framework/fast-check.ts leaves it.
  fc.configureGlobal({ seed: Number(process.env.ADIT_TEST_SEED) });
  await t.test(path.relative(tests, path.resolve(file)).replace(/\.test\.js$/, ''), async (fileTest) => {
    enterFile(fileTest);
    await import(pathToFileURL(path.resolve(file)).href);
  });
}
