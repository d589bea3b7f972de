// Commands of random histories of a mempool, for tests that compare the mempool with a naive model.
import { fc } from './fast-check.js';

/** Largest values of the transactions of a history. */
interface Bounds {
  /** Largest number of spent outputs, besides that of the conflict. */
  readonly picks: number;
  /** Largest fee in satoshis. */
  readonly fee: number;
}

/**
 * Adds a transaction. The numbers in `picks` choose the outputs that it spends.
 * @param final generates the field that says whether the transaction forbids its replacement
 */
export const addCommand = <T>({ picks, fee, outputs }: Bounds & { readonly outputs: number }, final: fc.Arbitrary<T>) =>
  fc.record({
    kind: fc.constant('add' as const),
    picks: fc.array(fc.nat(1000), { minLength: 1, maxLength: picks }),
    outputs: fc.integer({ min: 1, max: outputs }),
    fee: fc.integer({ min: 0, max: fee }),
    final,
  });

/** Adds a transaction that conflicts with the one that `pick` chooses and also spends the outputs that `extra` chooses. */
export const replaceCommand = ({ picks, fee }: Bounds) =>
  fc.record({
    kind: fc.constant('replace' as const),
    pick: fc.nat(1000),
    extra: fc.array(fc.nat(1000), { maxLength: picks }),
    fee: fc.integer({ min: 0, max: fee }),
  });

/** Prioritises the transaction that `pick` chooses, by an amount in satoshis. */
export const prioritiseCommand = (min: number, max: number) =>
  fc.record({ kind: fc.constant('prioritise' as const), pick: fc.nat(1000), delta: fc.integer({ min, max }) });
