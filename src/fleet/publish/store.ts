// The broker's store for the fleet: the newest template of each node, in memory, and the found blocks of the last hour,
// on disk. The first node that needs the bucket and the stream creates them. An operator who wants other settings creates
// both before that node starts.
import { DeliverPolicy, jetstream, jetstreamManager, Kvm, StorageType } from '../broker.js';
import type { Subjects } from '../subjects.js';

type Connection = Parameters<typeof jetstream>[0];

/** One hour in nanoseconds. */
const FOUND_NANOS = 3_600_000_000_000;
/** Space for 64 of the largest blocks. */
const FOUND_BYTES = 256 << 20;

/** Creation time of each part of the store, as the broker reports it. A new time means that the part is new and empty. */
export interface StoreMade {
  readonly bucket: string;
  readonly foundStream: string;
}

/**
 * Creates missing parts of the store: the bucket of templates, which a restart of the broker deletes, and the stream of
 * found blocks.
 * @param replicas number of servers that store each part
 * @throws Error when the broker has no JetStream, or does not allow it
 */
export async function prepareStore(connection: Connection, subjects: Subjects, replicas: number): Promise<StoreMade> {
  const bucket = await new Kvm(jetstream(connection)).create(subjects.bucket, { history: 1, storage: StorageType.Memory, replicas });
  const { streams } = await jetstreamManager(connection);
  const found =
    (await streams.info(subjects.foundStream).catch(() => null)) ??
    (await streams.add({
      name: subjects.foundStream,
      subjects: [subjects.found('*')],
      storage: StorageType.File,
      max_age: FOUND_NANOS,
      max_bytes: FOUND_BYTES,
      num_replicas: replicas,
    }));
  return { bucket: (await bucket.status()).streamInfo.created, foundStream: found.created };
}

/**
 * Reads found blocks in order, from the oldest stored one on.
 * @returns a function that stops reading
 * @param ended called when no more arrive
 * @param failed receives exceptions of `take`
 */
export async function readFoundBlocks(
  connection: Connection,
  subjects: Subjects,
  take: (subject: string, bytes: Uint8Array) => void,
  ended: () => void,
  failed: (error: unknown) => void,
): Promise<() => void> {
  const consumer = await jetstream(connection).consumers.get(subjects.foundStream, { deliver_policy: DeliverPolicy.All });
  const messages = await consumer.consume({
    callback: (message) => {
      // An exception would end the whole connection.
      try {
        take(message.subject, message.data);
      } catch (error) {
        failed(error);
      }
    },
  });
  void messages.closed().then(ended);
  return () => messages.stop();
}
