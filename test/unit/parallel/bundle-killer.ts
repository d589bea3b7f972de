// A pool entry for verifier.test.ts whose thread ends at every bundle, and which checks everything else.

export { verify, verifyShare } from '../../../workers/verify.js';

export function verifyEach(): never {
  process.exit(1);
}
