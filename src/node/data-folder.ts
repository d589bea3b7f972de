// The network's folder: made when missing, found writable, with the process id and the RPC cookie in it while the node
// runs. Only the operator may read what is made here.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config/args.js';
import { makeFolders } from '../lib/durable-file.js';
import type { Logger } from '../log/logger.js';

/** Makes sure the folders exist and can be written to. @throws ConfigError in Core's words */
export function prepareFolders(netDir: string, blocksDir: string): void {
  if (fs.existsSync(path.join(blocksDir, 'index', 'CURRENT'))) {
    throw new ConfigError(
      `${netDir} belongs to Bitcoin Core. adit keeps its own block index and would ruin Core's; give it another -datadir.`,
    );
  }
  // The first start makes the wallets' folder too, wallets or not, as Core does.
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

/** A file that lives as long as the node: written whole or not at all, gone after a clean stop. */
export interface LivingFile {
  readonly path: string;
  remove(): void;
}

function writeLiving(file: string, text: string, mode = 0o600): LivingFile {
  const temporary = `${file}.tmp`;
  fs.rmSync(temporary, { force: true });
  fs.writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
  // The umask of the process would take readers away again.
  if (mode !== 0o600) fs.chmodSync(temporary, mode);
  fs.renameSync(temporary, file);
  return {
    path: file,
    remove: () => {
      try {
        // Another node may have replaced it since; then it is not ours to remove.
        if (fs.readFileSync(file, 'utf8') === text) fs.unlinkSync(file);
      } catch {
        // Gone already.
      }
    },
  };
}

export function writePidFile(file: string): LivingFile {
  return writeLiving(file, `${process.pid}\n`);
}

/** A credential that exists before its file does: the file is written once the port it opens is ours. */
export interface Cookie {
  /** `__cookie__:` plus 64 hex digits. */
  readonly credential: string;
  /** Writes the file. */
  write(): LivingFile;
}

/** Writes the cookie. @throws ConfigError in Core's words when it can't be: no client could call this node */
export function writeCookie(cookie: Cookie, log: Logger): LivingFile {
  try {
    return cookie.write();
  } catch (error) {
    log.error(`The cookie of the RPC port can't be written: ${(error as Error).message}`);
    // What the disk lacks is said behind it.
    throw new ConfigError('Unable to start HTTP server. See debug log for details.', { cause: error });
  }
}

/** A fresh cookie for this run of the node. @param mode who may read its file, 0600 for the operator alone */
export function prepareCookie(file: string, mode: number): Cookie {
  const credential = `__cookie__:${crypto.randomBytes(32).toString('hex')}`;
  return { credential, write: () => writeLiving(file, credential, mode) };
}
