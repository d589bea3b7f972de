// Starts a process that serves a file of blocks to a node (block-server.ts).
import { type ChildProcess, spawn } from 'node:child_process';

export async function serveBlocks(file: string): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [new URL('./block-server.js', import.meta.url).pathname, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the serving peer ended')));
    child.stdout?.once('data', (text: Buffer) => resolve(Number(text.toString())));
  });
  return { child, port };
}
