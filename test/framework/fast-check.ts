// fast-check for all tests: properties that pin no seed of their own draw from the seed of the run, which the runner
// prints, so that a run is repeated with ADIT_TEST_SEED.
import fc from 'fast-check';

const seed = process.env.ADIT_TEST_SEED;
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });

export { fc };
