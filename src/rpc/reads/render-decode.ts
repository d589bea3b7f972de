// Runs calls of decode jobs.

import { METHODS } from '../declare/methods.js';
import { parametersOf } from '../declare/parameters.js';
import { versioned } from '../declare/versions.js';
import type { Run } from '../dispatch.js';
import type { DecodeContext } from '../front/context.js';
import { analyzepsbt } from '../methods/rawtransactions/analyzepsbt.js';
import { combinepsbt } from '../methods/rawtransactions/combinepsbt.js';
import { decodepsbt } from '../methods/rawtransactions/decodepsbt.js';
import { decoderawtransaction } from '../methods/rawtransactions/decoderawtransaction.js';
import { finalizepsbt } from '../methods/rawtransactions/finalizepsbt.js';
import { joinpsbts } from '../methods/rawtransactions/joinpsbts.js';
import { JsonReader } from '../wire/json-parse.js';
import { encodeJson } from '../wire/json-write.js';
import type { JsonResult, JsonValue } from '../wire/values.js';
import type { DecodeJob } from './read-job.js';

const RUNS: Readonly<Record<DecodeJob['method'], Run<DecodeContext, never>>> = {
  decoderawtransaction,
  decodepsbt,
  analyzepsbt,
  finalizepsbt,
  combinepsbt,
  joinpsbts,
};

/** Returns the result of a call as JSON. @throws RpcError */
export function runDecode({ method, args }: DecodeJob, ctx: DecodeContext): string {
  const spec = versioned(METHODS.get(method)!, ctx.compat);
  const values = new JsonReader(Buffer.from(args)).valueAt(0) as readonly JsonValue[];
  // These run functions are synchronous, and they do not use the caller.
  const result = RUNS[method](parametersOf(spec, values) as never, ctx, { user: '', path: '' }) as JsonResult;
  return encodeJson(spec.shape ? spec.shape(result) : result);
}
