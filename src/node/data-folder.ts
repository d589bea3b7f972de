// The network's data folder: creates it, checks that it is writable, and writes the process id and the RPC cookie into
// it while the node runs. Only the operator may read these files.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config/index.js';
import { makeFolders } from '../lib/durable-file.js';
import type { Logger } from '../log/logger.js';

/**
 * Creates the folders if necessary and checks that they are writable.
 * @throws ConfigError with Core's message
 */
export function prepareFolders(netDir: string, blocksDir: string): void {
  if (fs.existsSync(path.join(blocksDir, 'index', 'CURRENT'))) {
    throw new ConfigError(`${netDir} belongs to Bitcoin Core. adit would damage its block index. Choose another -datadir.`);
  }
  // The first start also creates the wallets' folder, with or without wallets, as Core does.
  const walletsDir = fs.existsSync(netDir) ? [] : [path.join(netDir, 'wallets')];
  for (const dir of [netDir, blocksDir, ...walletsDir]) {
    try {
      makeFolders(dir);
      const probe = path.join(dir, `.write-probe-${process.pid}`);
      fs.closeSync(fs.openSync(probe, 'w', 0o600));
      fs.unlinkSync(probe);
    } catch (error) {
      throw new ConfigError(`Cannot write to data directory '${dir}'; check permissions. (${(error as NodeJS.ErrnoException).code})`);
    }
  }
}

/** A file that exists while the node runs: written completely or not at all, and deleted at a clean stop. */
export interface LivingFile {
  readonly path: string;
  remove(): void;
}

function writeLiving(file: string, text: string, mode = 0o600): LivingFile {
  const temporary = `${file}.tmp`;
  fs.rmSync(temporary, { force: true });
  fs.writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
  // Set the mode explicitly: the umask would remove readers.
  if (mode !== 0o600) fs.chmodSync(temporary, mode);
  fs.renameSync(temporary, file);
  return {
    path: file,
    remove: () => {
      try {
        // Another node may have replaced the file; then it must stay.
        if (fs.readFileSync(file, 'utf8') === text) fs.unlinkSync(file);
      } catch {
        // The file is deleted already.
      }
    },
  };
}

export function writePidFile(file: string): LivingFile {
  return writeLiving(file, `${process.pid}\n`);
}

/** RPC cookie. Its file is written once the port is bound. */
export interface Cookie {
  /** `__cookie__:` plus 64 hex digits. */
  readonly credential: string;
  write(): LivingFile;
}

/**
 * Writes the cookie.
 * @throws ConfigError with Core's message if that fails, because no client could call this node
 */
export function writeCookie(cookie: Cookie, log: Logger): LivingFile {
  try {
    return cookie.write();
  } catch (error) {
    log.error(`Could not write the cookie file for RPC authentication: ${(error as Error).message}`);
    // The cause adds what is wrong with the disk.
    throw new ConfigError('Unable to start HTTP server. See debug log for details.', { cause: error });
  }
}

/**
 * Creates a new cookie for this run.
 * @param mode of its file; 0600 for the operator alone
 */
export function prepareCookie(file: string, mode: number): Cookie {
  const credential = `__cookie__:${crypto.randomBytes(32).toString('hex')}`;
  return { credential, write: () => writeLiving(file, credential, mode) };
}
