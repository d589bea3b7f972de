// Reads the options of methods that fund a transaction. Core: wallet/rpc/spend.cpp FundTransaction.

import { decodeAddress } from '../../address/address.js';
import { parseDescriptor } from '../../address/descriptor/parse.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { witnessProgramScript } from '../../consensus/script/build-script.js';
import type { SpentOutput } from '../../consensus/script/spent-output.js';
import type { TxFields } from '../../consensus/tx/build-tx.js';
import { follows } from '../../policy/compat.js';
import { FlatProvider } from '../../signing/index.js';
import { type FundedTransaction, fundTransaction, outpointOf, type Wallet } from '../../wallet/index.js';
import { asAddressType } from '../address-type.js';
import {
  asAmount,
  asArray,
  asBool,
  asHash,
  asInt,
  asInt64,
  asObject,
  asString,
  type CheckedType,
  checkMembers,
  checkType,
  hexBytes,
} from '../args.js';
import type { WalletContext } from '../context/wallet.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { knowsTaproot } from '../node/signing-args.js';
import { JsonNumber, JsonObject, type JsonValue, typeName } from '../wire/values.js';
import { includeWatchOnly } from './coins.js';
import { controlFor, type Given, given, setFeeRate, toolsOf } from './spend-args.js';

function solvingData(ctx: WalletContext, data: JsonObject, call: CallInfo): FlatProvider {
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

/** Types of members, by both names if a member has two. Null: any type. */
const TYPES: Readonly<Record<string, CheckedType | null>> = {
  add_inputs: 'bool',
  add_to_wallet: 'bool',
  changeAddress: 'string',
  change_address: 'string',
  changePosition: 'number',
  change_position: 'number',
  change_type: 'string',
  includeWatching: 'bool',
  include_watching: 'bool',
  inputs: 'array',
  lockUnspents: 'bool',
  lock_unspents: 'bool',
  locktime: 'number',
  fee_rate: null,
  feeRate: null,
  psbt: 'bool',
  subtractFeeFromOutputs: 'array',
  subtract_fee_from_outputs: 'array',
  replaceable: 'bool',
  conf_target: 'number',
  estimate_mode: 'string',
};

/** Types of members, including those of later releases. */
const LATER_TYPES: Readonly<Record<string, CheckedType | null>> = {
  ...TYPES,
  include_unsafe: 'bool',
  input_weights: 'array',
  max_tx_weight: 'number',
  maxconf: 'number',
  minconf: 'number',
  solving_data: 'object',
};

const invalid = (text: string): never => fail(RPC_CODE.INVALID_PARAMETER, text);

/** The transaction that a call funds, and the permissions of the wallet. */
export interface FundCall {
  readonly tx: TxFields;
  /** Default of add_inputs. */
  readonly addInputs: boolean;
  /** True if a fee rate in sat/vB may be below the minimum. */
  readonly overrideRate: boolean;
  /** Inputs as the caller listed them, possibly with weights. */
  readonly listed?: readonly JsonValue[];
  /** Names of the outputs, by which a caller may select those that pay the fee. */
  readonly names: readonly string[];
}

/** Largest weight of a standard transaction, and of one of version 3. */
const MAX_WEIGHT = 400_000;
const VERSION_3 = 3;
const MAX_WEIGHT_3 = 40_000;
/** Weight of an input with an empty scriptSig and an empty witness. */
const MIN_INPUT_WEIGHT = 165;

/** Reads the options, and funds the transaction in the wallet's spend queue. @throws RpcError */
export async function fundWith(
  ctx: WalletContext,
  wallet: Wallet,
  options: Given,
  fund: FundCall,
  call: CallInfo,
): Promise<FundedTransaction> {
  const control = controlFor(ctx);
  const later = follows(ctx.compat, 31);
  const { tx } = fund;
  control.addInputs = fund.addInputs;
  if (later) control.version = tx.version;
  let payers: readonly JsonValue[] = [];
  let read = { changePosition: -1, lock: false };
  if (typeof options === 'boolean') control.allowWatchOnly = options;
  else if (!given(options)) control.allowWatchOnly = includeWatchOnly(wallet, undefined);
  else {
    checkType(options, 'object');
    const object = options as JsonObject;
    const listed = either(object, 'subtract_fee_from_outputs', 'subtractFeeFromOutputs');
    if (later) checkPositions(payersIn(object.get('subtractFeeFromOutputs')), fund.names);
    checkMembers(object, later ? LATER_TYPES : TYPES, { allowNull: true, strict: true });
    payers = listed === undefined || (later && !given(listed)) ? [] : asArray(listed);
    read = readOptions(ctx, wallet, object, control, fund);
    if (later) readLater(ctx, object, control, call);
  }
  if (later) {
    const object = options instanceof JsonObject ? options : null;
    readWeights(fund.listed ?? (object?.has('input_weights') ? asArray(object.get('input_weights')) : []), control);
    if (object?.has('max_tx_weight')) control.maxWeight = asInt(object.get('max_tx_weight'));
  }
  if (later && tx.version === VERSION_3) control.maxWeight = Math.min(control.maxWeight ?? MAX_WEIGHT_3, MAX_WEIGHT_3);
  const { changePosition, lock } = read;
  if (tx.outputs.length === 0) invalid('TX must have at least one output');
  if (changePosition !== -1 && (changePosition < 0 || changePosition > tx.outputs.length)) invalid(OUT_OF_BOUNDS);
  const positions = later ? checkPositions(payers, fund.names) : positionsOf(payers, tx.outputs.length);
  if (later) control.foreign = await foreignOutputs(ctx, wallet, tx);
  const funded = await fundTransaction(wallet, { tx, control, changePosition, payers: positions, lock }, toolsOf(ctx));
  return 'error' in funded ? fail(RPC_CODE.WALLET_ERROR, funded.error) : funded;
}

const OUT_OF_BOUNDS = 'changePosition out of bounds';

/** Returns a member by its current or else by its old name; undefined if neither exists. */
const either = (options: JsonObject, name: string, old: string): Given => (options.has(name) ? options.get(name) : options.get(old));

/** Returns the outputs that inputs spend and that do not belong to the wallet. */
async function foreignOutputs(ctx: WalletContext, wallet: Wallet, tx: TxFields): Promise<Map<string, SpentOutput>> {
  const { coins } = wallet.ledger;
  const foreign = tx.inputs.filter(({ prevHash, prevIndex }) => coins.find(outpointOf(prevHash, prevIndex)) < 0);
  if (foreign.length === 0) return new Map();
  const outputs = await ctx.client.outputs(foreign.map(({ prevHash, prevIndex }) => outpointOf(prevHash, prevIndex)));
  return new Map(
    foreign.map(({ prevHash, prevIndex }, i) => {
      const output = outputs[i] ?? fail(RPC_CODE.WALLET_ERROR, 'Unable to find UTXO for external input');
      return [hashKey(outpointOf(prevHash, prevIndex)), { value: output.value, script: new Uint8Array(output.script) }];
    }),
  );
}

/** Reads the weights of inputs. */
function readWeights(list: readonly JsonValue[], control: ReturnType<typeof controlFor>): void {
  if (list.length === 0) return;
  const bad = (why: string): never => invalid(`Invalid parameter, ${why}`);
  const weights = new Map<string, number>();
  const inputs: Uint8Array[] = [];
  for (const item of list) {
    const input = item instanceof JsonObject ? item : new JsonObject([], []);
    const txid = asHash(input.get('txid'), 'txid');
    const index = input.get('vout');
    const vout = index instanceof JsonNumber ? asInt(index) : bad('missing vout key');
    if (vout < 0) bad('vout cannot be negative');
    const given = input.get('weight');
    const weight = given instanceof JsonNumber ? Number(asInt64(given)) : bad('missing weight key');
    if (weight < MIN_INPUT_WEIGHT) {
      bad(
        `weight cannot be less than ${MIN_INPUT_WEIGHT} (41 bytes (size of outpoint + sequence + empty scriptSig) * 4 (witness scaling factor)) + 1 (empty witness)`,
      );
    }
    if (weight > MAX_WEIGHT) bad(`weight cannot be greater than the maximum standard tx weight of ${MAX_WEIGHT}`);
    weights.set(hashKey(outpointOf(txid, vout)), weight);
    inputs.push(outpointOf(txid, vout));
  }
  control.weights = weights;
  // The payment must spend the inputs whose weights were given.
  control.inputs = inputs;
}

/** Reads options that were added after 0.21. */
function readLater(ctx: WalletContext, options: JsonObject, control: ReturnType<typeof controlFor>, call: CallInfo): void {
  if (options.has('include_unsafe')) control.includeUnsafe = asBool(options.get('include_unsafe'));
  readDepths(options, control, { negative: 'Negative minconf' });
  if (!options.has('solving_data')) return;
  control.solving = solvingData(ctx, asObject(options.get('solving_data')), call);
}

/** Reads minconf and maxconf. */
export function readDepths(options: JsonObject, control: ReturnType<typeof controlFor>, { negative }: { readonly negative: string }): void {
  if (options.has('minconf')) control.minDepth = asInt(options.get('minconf'));
  if (control.minDepth < 0) invalid(negative);
  if (!options.has('maxconf')) return;
  control.maxDepth = asInt(options.get('maxconf'));
  if (control.maxDepth < control.minDepth) {
    invalid(`maxconf can't be lower than minconf: ${control.maxDepth} < ${control.minDepth}`);
  }
}

/**
 * Returns the entries of a list of outputs that pay the fee. As in Core, the list may be an object at first; the check of
 * types refuses it later.
 */
export function payersIn(value: Given): readonly JsonValue[] {
  if (!given(value)) return [];
  if (value instanceof JsonObject) return value.values;
  return Array.isArray(value) ? value : fail(RPC_CODE.MISC_ERROR, 'JSON value is not an object or array as expected');
}

/** Returns the indexes of the outputs that pay the fee, given by name or index. @throws RpcError */
export function checkPositions(payers: readonly JsonValue[], names: readonly string[]): Set<number> {
  const bad = (why: string): never => invalid(`Invalid parameter 'subtract fee from output', ${why}`);
  const positions = new Set<number>();
  for (const payer of payers) {
    let position: number;
    if (typeof payer === 'string') {
      position = names.indexOf(payer);
      if (position < 0) bad(`destination ${payer} not found in tx outputs`);
    } else if (payer instanceof JsonNumber) position = asInt(payer);
    else return bad(`invalid value type: ${typeName(payer)}`);
    if (positions.has(position)) bad(`duplicated position: ${position}`);
    if (position < 0) bad(`negative position: ${position}`);
    if (position >= names.length) bad(`position too large: ${position}`);
    positions.add(position);
  }
  return positions;
}

function readOptions(
  ctx: WalletContext,
  wallet: Wallet,
  options: JsonObject,
  control: ReturnType<typeof controlFor>,
  { tx, overrideRate }: FundCall,
): { changePosition: number; lock: boolean } {
  if (options.has('add_inputs')) control.addInputs = asBool(options.get('add_inputs'));
  const changeAddress = either(options, 'change_address', 'changeAddress');
  if (changeAddress !== undefined) {
    const decoded = decodeAddress(asString(changeAddress), ctx.params, ctx.crypto);
    if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Change address must be a valid bitcoin address');
    control.changeScript = decoded.script;
  }
  const position = either(options, 'change_position', 'changePosition');
  const changePosition = position === undefined ? -1 : asInt(position);
  const later = follows(ctx.compat, 31);
  if (later && position !== undefined && (changePosition < 0 || changePosition > tx.outputs.length)) invalid(OUT_OF_BOUNDS);
  if (options.has('change_type')) {
    if (changeAddress !== undefined) invalid('Cannot specify both change address and address type options');
    const type = options.get('change_type')!;
    const taproot = type === 'bech32m' && knowsTaproot(ctx) && !wallet.legacy;
    control.changeType = taproot ? type : asAddressType(asString(type), 'change');
  }
  const watching = either(options, 'include_watching', 'includeWatching');
  control.allowWatchOnly = includeWatchOnly(wallet, given(watching) ? asBool(watching) : undefined);
  const lockOption = either(options, 'lock_unspents', 'lockUnspents');
  const lock = lockOption === undefined ? false : asBool(lockOption);
  if (options.has('feeRate')) {
    if (options.has('fee_rate')) invalid('Cannot specify both fee_rate (sat/vB) and feeRate (BTC/kvB)');
    if (options.has('conf_target')) {
      invalid(
        'Cannot specify both conf_target and feeRate. Please provide either a confirmation target in blocks for automatic fee estimation, or an explicit fee rate.',
      );
    }
    if (options.has('estimate_mode')) invalid('Cannot specify both estimate_mode and feeRate');
    control.feeRate = asAmount(options.get('feeRate'));
    control.overrideFeeRate = true;
  }
  if (options.has('replaceable')) control.replaceable = asBool(options.get('replaceable'));
  const rate = { confTarget: options.get('conf_target'), estimateMode: options.get('estimate_mode'), feeRate: options.get('fee_rate') };
  setFeeRate(ctx, control, rate, overrideRate);
  return { changePosition, lock };
}

function positionsOf(payers: readonly JsonValue[], outputs: number): Set<number> {
  const positions = new Set<number>();
  for (const payer of payers) {
    const position = asInt(payer);
    if (positions.has(position)) invalid(`Invalid parameter, duplicated position: ${position}`);
    if (position < 0) invalid(`Invalid parameter, negative position: ${position}`);
    if (position >= outputs) invalid(`Invalid parameter, position too large: ${position}`);
    positions.add(position);
  }
  return positions;
}
