// What the broker stores for the fleet: the newest template of each node, in memory. Made by the first node that needs
// it; an operator who wants it otherwise (copies on several servers) makes it before. Used by publisher.ts.
import { jetstream, Kvm, StorageType } from '../broker.js';
import type { Subjects } from '../subjects.js';

type Connection = Parameters<typeof jetstream>[0];

/** @throws Error when the broker has no JetStream, or does not allow it */
export async function prepareStore(connection: Connection, subjects: Subjects): Promise<void> {
  await new Kvm(jetstream(connection)).create(subjects.bucket, { history: 1, storage: StorageType.Memory });
}
