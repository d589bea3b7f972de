// Reads keys, scripts, and descriptors of outputs that do not belong to the wallet, so that the size of their inputs
// can be computed. Core 31: solving_data in wallet/rpc/spend.cpp.
import { parseDescriptor } from '../../address/descriptor/parse.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { witnessProgramScript } from '../../consensus/script/build-script.js';
import { FlatProvider } from '../../signing/index.js';
import { asArray, asString, hexBytes } from '../args.js';
import type { WalletContext } from '../context/wallet.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { JsonObject, JsonValue } from '../wire/values.js';

export function solvingData(ctx: WalletContext, data: JsonObject, call: CallInfo): FlatProvider {
  const known = new FlatProvider();
  const { crypto } = ctx;
  const texts = (name: string): string[] => (data.has(name) ? asArray(data.get(name)).map((text: JsonValue) => asString(text)) : []);
  const addScript = (script: Uint8Array): unknown => known.scripts.set(hashKey(crypto.hash160(script)), script);
  for (const text of texts('pubkeys')) {
    const id = crypto.hash160(publicKeyOf(ctx, text));
    known.publicKeys.set(hashKey(id), publicKeyOf(ctx, text));
    addScript(witnessProgramScript(0, id));
  }
  for (const text of texts('scripts')) addScript(hexBytes(text) ?? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `'${text}' is not hex`));
  for (const text of texts('descriptors')) {
    const parsed = parseDescriptor(text, ctx.descriptors, { keys: call.taken?.keys, requireChecksum: true });
    if ('error' in parsed) return fail(RPC_CODE.INVALID_PARAMETER, `Unable to parse descriptor '${text}': ${parsed.error}`);
    for (const descriptor of parsed.descriptors) {
      const expansion = descriptor.expand(0, { secrets: parsed.secrets });
      if (expansion) known.addExpansion(expansion, crypto);
    }
    parsed.secrets.wipe();
  }
  return known;
}

function publicKeyOf(ctx: WalletContext, text: string): Uint8Array {
  const bad = (why: string): never => fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, `Pubkey "${text}" must ${why}`);
  const key = hexBytes(text) ?? bad('be a hex string');
  if (key.length !== 33 && key.length !== 65) bad('have a length of either 33 or 65 bytes');
  return ctx.crypto.isPoint(key) ? key : bad('be cryptographically valid.');
}
