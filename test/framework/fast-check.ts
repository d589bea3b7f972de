// fast-check for all tests. Properties without a seed of their own use the seed of the run, which the runner prints.
// With ADIT_TEST_SEED a run can be repeated.
import fc from 'fast-check';

const seed = process.env.ADIT_TEST_SEED;
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });

export { fc };
