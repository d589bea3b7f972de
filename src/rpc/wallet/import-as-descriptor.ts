// Converts a request of importmulti to a descriptor, for descriptor wallets: the descriptor that it names, or that of
// its script, inner scripts, and keys. Checks and warnings are those of importmulti, then those of importdescriptors.
import { inferDescriptor } from '../../address/descriptor/infer.js';
import { type ParsedDescriptor, parseDescriptor } from '../../address/descriptor/parse.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { secretCopy } from '../../crypto/secret-bytes.js';
import { FlatProvider } from '../../signing/index.js';
import { asArray, asBool, asString } from '../args.js';
import type { WalletContext } from '../context/wallet.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { JsonObject, type JsonValue } from '../wire/values.js';
import { emptyImport, fillFromScript, optional, readImportHead, readSecret, warnOfKeys, wipeImport } from './import-request.js';
import { DescriptorReader, hasAllSecrets, type ParsedRequest } from './importdescriptors.js';

/** A descriptor with warnings. The caller must wipe the secrets. */
interface Amounting {
  readonly parsed: ParsedDescriptor;
  readonly warnings: readonly string[];
}

/** Members that importdescriptors also reads. */
const SHARED = ['internal', 'label', 'range'];

/** Reads requests of importmulti for a descriptor wallet. */
export class RequestAsDescriptor extends DescriptorReader {
  protected override parse(request: JsonObject): ParsedRequest {
    const { addToPool, hasScript } = readImportHead(this.wallet, request);
    const amounting = (hasScript ? ofScript : ofText)(this.ctx, request, this.call);
    // Keys for the key pool correspond to an active descriptor.
    const members: [string, JsonValue][] = [['active', addToPool]];
    for (const name of SHARED) if (request.has(name)) members.push([name, request.get(name) as JsonValue]);
    const asked = new JsonObject(
      members.map(([name]) => name),
      members.map(([, value]) => value),
    );
    return { request: asked, labelsRange: true, ...amounting };
  }
}

/** Parses a descriptor. @throws RpcError */
function parse(ctx: WalletContext, text: string, call?: CallInfo): ParsedDescriptor {
  const parsed = parseDescriptor(text, ctx.descriptors, { requireChecksum: true, keys: call?.taken?.keys });
  return 'error' in parsed ? fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, parsed.error) : parsed;
}

/** Parses a request with `desc`. */
function ofText(ctx: WalletContext, request: JsonObject, call: CallInfo): Amounting {
  const parsed = parse(ctx, asString(request.get('desc')), call);
  const { descriptors, secrets } = parsed;
  const [descriptor] = descriptors;
  try {
    const watchOnly = optional(request, 'watchonly', asBool, false);
    if (descriptor.isRange && !request.has('range')) fail(RPC_CODE.INVALID_PARAMETER, 'Descriptor is ranged, please specify the range');
    const warnings: string[] = [];
    const named = new Set<string>();
    for (const { publicKey } of descriptor.isRange ? [] : (descriptor.expand(0, { secrets })?.keys ?? [])) {
      named.add(hashKey(ctx.crypto.hash160(publicKey)));
    }
    for (const item of optional(request, 'keys', asArray, [])) {
      const { publicKey, secret } = readSecret(ctx, item, call);
      if (named.has(hashKey(ctx.crypto.hash160(publicKey)))) secrets.add(publicKey, secret);
      else {
        secret.fill(0);
        warnings.push('Ignoring irrelevant private key.');
      }
    }
    warnOfKeys(
      { warnings },
      watchOnly,
      descriptors.every((path) => hasAllSecrets(ctx, path, parsed)),
    );
    return { parsed, warnings };
  } catch (error) {
    secrets.wipe();
    throw error;
  }
}

/** Parses a request with `scriptPubKey`. */
function ofScript(ctx: WalletContext, request: JsonObject, call: CallInfo): Amounting {
  const data = emptyImport();
  try {
    fillFromScript(ctx, request, call, data);
    const known = new FlatProvider();
    for (const [id, script] of data.scripts) known.scripts.set(id, script);
    for (const [id, key] of data.publicKeys) known.publicKeys.set(id, key);
    for (const [id, { publicKey }] of data.secrets) known.publicKeys.set(id, publicKey);
    const parsed = parse(ctx, inferDescriptor(data.targets[0], known, ctx.descriptors).toString());
    for (const { publicKey, secret } of data.secrets.values()) parsed.secrets.add(publicKey, secretCopy(secret));
    return { parsed, warnings: data.warnings };
  } finally {
    wipeImport(data);
  }
}
