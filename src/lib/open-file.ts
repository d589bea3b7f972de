// Opens files that callers name.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opening a FIFO waits for its other end, on one of the few threads that all files of the process share: four such
 * calls would stop the node's disk work. Windows has no FIFOs among its files, and no such flag.
 */
const NO_WAIT = constants.O_NONBLOCK ?? 0;

/** Opens a file for reading. @throws the system's error; an error when it is a FIFO, a device or a folder */
export async function openFile(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | NO_WAIT);
  const isFile = await handle.stat().then(
    (info) => info.isFile(),
    () => false,
  );
  if (isFile) return handle;
  await handle.close();
  throw new Error('It is not a file');
}
