// A pool entry that dies of every bundle and checks everything else, for verifier.test.ts.

export { verify, verifyShare } from '../../../workers/verify.js';

export function verifyEach(): never {
  process.exit(1);
}
