// settings.json of the network's folder, as Core keeps it: an object whose `wallet` lists what to load at the next start. Members this
// version does not know stay as they are.
import fs from 'node:fs/promises';
import path from 'node:path';

async function read(file: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await fs.readFile(file, 'utf8'));
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

export async function readWalletList(file: string): Promise<string[]> {
  const { wallet } = await read(file);
  return Array.isArray(wallet) ? wallet.filter((name): name is string => typeof name === 'string') : [];
}

/** Adds a name to the list or takes it out; written to a new file that replaces the old one. */
export async function changeWalletList(file: string, name: string, load: boolean): Promise<void> {
  const settings = await read(file);
  const list = Array.isArray(settings.wallet) ? settings.wallet.filter((entry): entry is string => typeof entry === 'string') : [];
  if (list.includes(name) === load) return;
  const wallet = load ? [...list, name] : list.filter((entry) => entry !== name);
  const temporary = path.join(path.dirname(file), `${path.basename(file)}.tmp`);
  const handle = await fs.open(temporary, 'w');
  try {
    await handle.writeFile(`${JSON.stringify({ ...settings, wallet }, null, 4)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await fs.rename(temporary, file);
}
