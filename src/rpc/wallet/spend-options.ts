// The options of the calls that fund a transaction. Core 0.21: wallet/rpcwallet.cpp FundTransaction.
import { decodeAddress } from '../../address/address.js';
import type { TxFields } from '../../consensus/tx/build-tx.js';
import { type FundedTransaction, fundTransaction } from '../../wallet/spend/fund-transaction.js';
import type { Wallet } from '../../wallet/wallet.js';
import { asAddressType } from '../address-type.js';
import { asAmount, asArray, asBool, asInt, asString, type CheckedType, checkMembers, checkType } from '../args.js';
import type { CallInfo } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import type { NodeContext } from '../node/context.js';
import { knowsTaproot } from '../node/signing-args.js';
import type { JsonObject, JsonValue } from '../wire/values.js';
import { includeWatchOnly } from './coins.js';
import { controlFor, type Given, given, setFeeRate, toolsOf } from './spend-args.js';

/** Members by both of their names, where there are two. Null: any type. */
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

const invalid = (text: string): never => fail(RPC_CODE.INVALID_PARAMETER, text);

/** What a call funds and how far it lets the wallet go. */
export interface FundCall {
  readonly tx: TxFields;
  /** Whether coins may be added where the caller's options do not say. */
  readonly addInputs: boolean;
  /** A rate in sat/vB holds even below the minimum. */
  readonly overrideRate: boolean;
}

/** Reads the options and funds, in the wallet's spend line; errors are the call's. */
export async function fundWith(
  ctx: NodeContext,
  wallet: Wallet,
  options: Given,
  fund: FundCall,
  call: CallInfo,
): Promise<FundedTransaction> {
  const control = controlFor(ctx);
  control.addInputs = fund.addInputs;
  let changePosition = -1;
  let lock = false;
  let payers: readonly JsonValue[] = [];
  if (typeof options === 'boolean') control.allowWatchOnly = options;
  else if (!given(options)) control.allowWatchOnly = includeWatchOnly(wallet, null);
  else {
    checkType(options, 'object');
    const object = options as JsonObject;
    checkMembers(object, TYPES, { allowNull: true, strict: true });
    ({ changePosition, lock, payers } = readOptions(ctx, wallet, object, control, fund.overrideRate));
  }
  const { tx } = fund;
  if (tx.outputs.length === 0) invalid('TX must have at least one output');
  if (changePosition !== -1 && (changePosition < 0 || changePosition > tx.outputs.length)) invalid('changePosition out of bounds');
  const positions = positionsOf(payers, tx.outputs.length);
  const funded = await fundTransaction(wallet, { tx, control, changePosition, payers: positions, lock }, toolsOf(ctx), call.breathe);
  return 'error' in funded ? fail(RPC_CODE.WALLET_ERROR, funded.error) : funded;
}

function readOptions(
  ctx: NodeContext,
  wallet: Wallet,
  options: JsonObject,
  control: ReturnType<typeof controlFor>,
  overrideRate: boolean,
): { changePosition: number; lock: boolean; payers: readonly JsonValue[] } {
  /** A member under its present name, else under its old one; undefined when neither is there. */
  const either = (name: string, old: string): Given => (options.has(name) ? options.get(name) : options.get(old));
  if (options.has('add_inputs')) control.addInputs = asBool(options.get('add_inputs'));
  const changeAddress = either('change_address', 'changeAddress');
  if (changeAddress !== undefined) {
    const decoded = decodeAddress(asString(changeAddress), ctx.params, ctx.crypto);
    if ('error' in decoded) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, 'Change address must be a valid bitcoin address');
    control.changeScript = decoded.script;
  }
  const position = either('change_position', 'changePosition');
  const changePosition = position === undefined ? -1 : asInt(position);
  if (options.has('change_type')) {
    if (changeAddress !== undefined) invalid('Cannot specify both change address and address type options');
    const type = options.get('change_type')!;
    const taproot = type === 'bech32m' && knowsTaproot(ctx) && !wallet.legacy;
    control.changeType = taproot ? type : asAddressType(type, 'change');
  }
  control.allowWatchOnly = includeWatchOnly(wallet, either('include_watching', 'includeWatching'));
  const lockOption = either('lock_unspents', 'lockUnspents');
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
  const listed = either('subtract_fee_from_outputs', 'subtractFeeFromOutputs');
  const payers = listed === undefined ? [] : asArray(listed);
  if (options.has('replaceable')) control.replaceable = asBool(options.get('replaceable'));
  const rate = { confTarget: options.get('conf_target'), estimateMode: options.get('estimate_mode'), feeRate: options.get('fee_rate') };
  setFeeRate(ctx, control, rate, overrideRate);
  return { changePosition, lock, payers };
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
