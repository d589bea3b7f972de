// Reads a request body as far as its route depends on it.

import { scanMethod } from '../../http/front/scan-method.js';
import { METHODS } from '../../rpc/declare/methods.js';
import { RequestBody, scanRequest } from '../../rpc/wire/request.js';

export interface Route {
  /** Method name, or `batch`, for the log and for counters. */
  readonly method: string;
  /** True if the body may run twice, and on another node than the first one. */
  readonly repeatable: boolean;
  /** True if every call in the body goes to every node. */
  readonly everywhere: boolean;
  /** True if some calls of the body go to every node and others do not. */
  readonly mixed: boolean;
  /** Name of the wallet that the node must have; '' for the only wallet of a node; null for any node. */
  readonly wallet: string | null;
}

/** Longer bodies are not parsed: their method is looked for near their beginning and end. */
const SCANNED_BYTES = 1 << 20;
const WALLET_PATH = '/wallet/';

/** Reads the methods of a body. A method that is not declared may not be repeated. */
export function routeOf(body: Uint8Array, uri: string): Route {
  const { names, isBatch } = namesIn(body);
  const [first = ''] = names;
  const specs = [...names].map((name) => METHODS.get(name));
  const everywhere = specs.map((spec) => spec?.everywhere === true);
  const wallet = uri.startsWith(WALLET_PATH) ? walletName(uri) : specs.some((spec) => spec?.category === 'wallet') ? '' : null;
  return {
    method: isBatch ? 'batch' : first,
    repeatable:
      names.size > 0 &&
      specs.every((spec) => spec !== undefined && (spec.runs === 'front' || spec.repeatable === true || spec.everywhere === true)),
    everywhere: names.size > 0 && everywhere.every((one) => one),
    mixed: everywhere.some((one) => one) && !everywhere.every((one) => one),
    wallet,
  };
}

function namesIn(body: Uint8Array): { names: ReadonlySet<string>; isBatch: boolean } {
  const requests = body.length <= SCANNED_BYTES ? scanRequest(body) : null;
  if (requests instanceof RequestBody) {
    const names = new Set<string>();
    for (let i = 0; i < requests.length; i++) names.add(requests.methodOf(i) ?? '');
    if (names.size > 0 && !names.has('')) return { names, isBatch: requests.isBatch };
  }
  const method = scanMethod(body);
  return { names: new Set(method === 'batch' || method === 'large' ? [] : [method]), isBatch: method === 'batch' };
}

function walletName(uri: string): string {
  try {
    return decodeURIComponent(uri.slice(WALLET_PATH.length).split('?')[0] ?? '');
  } catch {
    return '';
  }
}
