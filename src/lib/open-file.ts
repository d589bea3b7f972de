// Opens files whose paths come from RPC clients.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Flag with which opening a FIFO does not wait for the process at its other end. The wait would block one of the few
 * threads that do all file work of the process: four such calls would stop the node's disk work. Windows has no FIFOs in
 * its file system and no such flag.
 */
const NO_WAIT = constants.O_NONBLOCK ?? 0;

/**
 * Opens a regular file for reading.
 * @throws the system's error, or an Error if the path names a FIFO, a device, or a folder
 */
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
