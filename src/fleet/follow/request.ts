// What a body asks for, as far as it matters where it goes. Used by caller.ts.

import { scanMethod } from '../../http/front/scan-method.js';
import { METHODS } from '../../rpc/declare/methods.js';
import { MethodNames } from '../../rpc/wire/method-names.js';

/** Where a body may go. */
export interface Route {
  /** For the log and for counting: the method, or `batch`. */
  readonly method: string;
  /** May be run twice, and on another node than the one that was asked first. */
  readonly repeatable: boolean;
  /** All of it goes to every node. */
  readonly everywhere: boolean;
  /** It has calls in it that go to every node, beside others. */
  readonly mixed: boolean;
  /** For a node that has the wallet: its name, '' for the only one of a node; null for any node. */
  readonly wallet: string | null;
}

/** Bodies above this are judged by the name at one of their ends. */
const SCANNED_BYTES = 1 << 20;
const WALLET_PATH = '/wallet/';

/** Reads a body's methods. A method that is not declared may not be repeated. */
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
  if (body.length <= SCANNED_BYTES) {
    const found = new MethodNames(body);
    found.goOn(Number.POSITIVE_INFINITY);
    if (found.names !== null) return { names: found.names, isBatch: found.isBatch };
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
