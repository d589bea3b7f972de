// Reads the arguments of getblocktemplate in Core 0.21's order. template/request.ts has the later checks, which depend on
// the state of the node.
import { LEAST_SIGOPS, LEAST_WEIGHT, MOST_EXCLUDED, MOST_SIGOPS, MOST_WEIGHT, type TemplateLimits } from '../../policy/template-limits.js';
import type { TemplateRequest } from '../../template/index.js';
import { asAmount, asArray, asHashHex, asInt64, asObject, asString } from '../args.js';
import { fail, RPC_CODE } from '../errors.js';
import type { JsonObject, JsonValue } from '../wire/values.js';

/** Checks object, mode, proposal data, rules, and limits. @throws RpcError */
export function parseTemplateRequest(given: JsonValue): TemplateRequest {
  let mode = 'template';
  let longPollId: TemplateRequest['longPollId'] = null;
  const rules: string[] = [];
  let light = false;
  let limits: TemplateLimits | null = null;
  if (given !== null) {
    const request = asObject(given);
    const wanted = request.get('mode') ?? null;
    if (typeof wanted === 'string') mode = wanted;
    else if (wanted !== null) fail(RPC_CODE.INVALID_PARAMETER, 'Invalid mode');
    const awaited = request.get('longpollid') ?? null;
    longPollId = awaited === null || typeof awaited === 'string' ? awaited : true;
    if (mode === 'proposal') {
      const data = request.get('data');
      if (typeof data !== 'string') return fail(RPC_CODE.TYPE_ERROR, 'Missing data String key for proposal');
      return { mode: 'proposal', data, rules, longPollId, light: false, limits: null };
    }
    const capabilities = request.get('capabilities');
    light = Array.isArray(capabilities) && capabilities.includes('light');
    const listed = request.get('rules');
    if (Array.isArray(listed)) for (const rule of listed) rules.push(asString(rule));
    limits = parseLimits(request);
  }
  if (mode !== 'template') fail(RPC_CODE.INVALID_PARAMETER, 'Invalid mode');
  return { mode: 'template', data: '', rules, longPollId, light, limits };
}

/** Parses the members of a request that only adit has: limits of one client. A member with value null counts as missing. */
function parseLimits(request: JsonObject): TemplateLimits | null {
  const maxWeight = wholeWithin(request, 'maxweight', LEAST_WEIGHT, MOST_WEIGHT);
  const maxSigops = wholeWithin(request, 'maxsigops', LEAST_SIGOPS, MOST_SIGOPS);
  const rate = request.get('minfeerate') ?? null;
  const minFeeRate = rate === null ? null : asAmount(rate);
  const listed = request.get('exclude') ?? null;
  const exclude = listed === null ? [] : excluded(asArray(listed));
  if (maxWeight === null && maxSigops === null && minFeeRate === null && exclude.length === 0) return null;
  return { maxWeight, maxSigops, minFeeRate, exclude };
}

function wholeWithin(request: JsonObject, name: string, least: number, most: number): number | null {
  const given = request.get(name) ?? null;
  if (given === null) return null;
  const value = asInt64(given);
  if (value < least || value > most) fail(RPC_CODE.INVALID_PARAMETER, `${name} must be between ${least} and ${most}`);
  return Number(value);
}

function excluded(listed: readonly JsonValue[]): string[] {
  // Check the number before the elements.
  if (listed.length > MOST_EXCLUDED) fail(RPC_CODE.INVALID_PARAMETER, `exclude lists more than ${MOST_EXCLUDED} transactions`);
  return [...new Set(listed.map((txid) => asHashHex(txid, 'exclude').toLowerCase()))].sort();
}
