// Adds inputs, and change if needed, to a client's transaction. All else in the transaction stays, except that outputs
// which pay the fee become smaller. Core 0.21: CWallet::FundTransaction.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxFields } from '../../consensus/tx/build-tx.js';
import { outpointOf } from '../coins/outpoint.js';
import type { Wallet } from '../wallet.js';
import type { CoinControl } from './coin-control.js';
import { createTransaction } from './create-transaction.js';
import type { PaymentError, SpendTools } from './payment.js';

export interface FundRequest {
  readonly tx: TxFields;
  readonly control: CoinControl;
  /** Index of the change output; -1: random. */
  readonly changePosition: number;
  /** Indexes of outputs that pay the fee. */
  readonly payers: ReadonlySet<number>;
  /** True to lock the chosen coins against other payments, as lockunspent does. */
  readonly lock: boolean;
}

export interface FundedTransaction {
  readonly tx: TxFields;
  /** Outpoints of added coins. */
  readonly chosen: readonly Uint8Array[];
  readonly fee: number;
  /** Index of the change output; -1: no change. */
  readonly changePosition: number;
}

/** Funds a transaction. Call this in the payment queue. */
export async function fundTransaction(wallet: Wallet, request: FundRequest, tools: SpendTools): Promise<FundedTransaction | PaymentError> {
  const { tx, changePosition, payers, lock } = request;
  const given = tx.inputs.map(({ prevHash, prevIndex }) => outpointOf(prevHash, prevIndex));
  const control = { ...request.control, inputs: [...request.control.inputs, ...given] };
  const recipients = tx.outputs.map(({ script, value }, i) => ({ script, amount: Number(value), subtractFee: payers.has(i) }));
  const made = await createTransaction(wallet, { recipients, control, changePosition, sign: false }, tools);
  if ('error' in made) return made;
  const known = new Set(given.map(hashKey));
  // If an input occurs twice, spend it once. Up to 0.21, Core keeps the inputs as given.
  const once = new Map(tx.inputs.map((input, i) => [hashKey(given[i]), input]));
  const inputs = tools.options.rules.leastWaste ? [...once.values()] : [...tx.inputs];
  for (let i = 0; i < made.tx.inputCount; i++) {
    const outpoint = new Uint8Array(made.tx.outpoint(i));
    if (lock) wallet.ledger.lockCoin(outpoint, null);
    if (known.has(hashKey(outpoint))) continue;
    inputs.push({
      prevHash: made.tx.prevHash(i),
      prevIndex: made.tx.prevIndex(i),
      scriptSig: new Uint8Array(0),
      sequence: made.tx.sequence(i),
    });
  }
  const outputs = Array.from({ length: made.tx.outputCount }, (_, i) => ({
    value: made.tx.outputValue(i),
    script: made.tx.outputScript(i),
  }));
  return { tx: { ...tx, inputs, outputs }, chosen: made.chosen, fee: made.fee, changePosition: made.changePosition };
}
