// Commands that random histories of a pool consist of, for tests that hold the pool against a naive model.
import { fc } from './fast-check.js';

/** How large the transactions of a history are. */
interface Bounds {
  /** Most outputs spent in addition to the one that conflicts. */
  readonly picks: number;
  /** Satoshis. */
  readonly fee: number;
}

/**
 * A new transaction: numbers that pick what it spends, its outputs and fee.
 * @param final whether it may not be replaced
 */
export const addCommand = <T>({ picks, fee, outputs }: Bounds & { readonly outputs: number }, final: fc.Arbitrary<T>) =>
  fc.record({
    kind: fc.constant('add' as const),
    picks: fc.array(fc.nat(1000), { minLength: 1, maxLength: picks }),
    outputs: fc.integer({ min: 1, max: outputs }),
    fee: fc.integer({ min: 0, max: fee }),
    final,
  });

/** A rival of a transaction that `pick` chooses, which spends `extra` as well. */
export const replaceCommand = ({ picks, fee }: Bounds) =>
  fc.record({
    kind: fc.constant('replace' as const),
    pick: fc.nat(1000),
    extra: fc.array(fc.nat(1000), { maxLength: picks }),
    fee: fc.integer({ min: 0, max: fee }),
  });

/** prioritisetransaction of one that `pick` chooses, satoshis. */
export const prioritiseCommand = (min: number, max: number) =>
  fc.record({ kind: fc.constant('prioritise' as const), pick: fc.nat(1000), delta: fc.integer({ min, max }) });
