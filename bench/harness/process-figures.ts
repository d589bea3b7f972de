// Reads memory and processor time of another process from the kernel. Linux only, like the benches that use it.
import fs from 'node:fs';

/** Highest resident memory of a process so far, in megabytes. */
export function highestMemory(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1000;
}

/** Returns the current resident memory of a process in megabytes. */
export function residentMemory(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1000;
}

/** Seconds of processor time that a process has used, on all its threads. */
export function processorSeconds(pid: number): number {
  // The name in the second field may contain blanks. After its closing bracket, fields 12 and 13 are the user and
  // system time in 1/100 s.
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/**
 * Returns the milliseconds of processor time of each thread of a process by the thread's name, in steps of 10 ms.
 * Threads with the same name are added up.
 */
export function threadMilliseconds(pid: number): Map<string, number> {
  const threads = new Map<string, number>();
  const folder = `/proc/${pid}/task`;
  for (const thread of fs.readdirSync(folder)) {
    try {
      const stat = fs.readFileSync(`${folder}/${thread}/stat`, 'utf8');
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      threads.set(name, (threads.get(name) ?? 0) + (Number(fields[11]) + Number(fields[12])) * 10);
    } catch (error) {
      // The thread has ended meanwhile.
      if (!/ENOENT|ESRCH/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return threads;
}

/** Returns the milliseconds that each thread has used since `before`, the busiest first, without threads that used none. */
export function threadsSince(pid: number, before: ReadonlyMap<string, number>): [name: string, ms: number][] {
  const spent = [...threadMilliseconds(pid)].map(([name, ms]): [string, number] => [name, ms - (before.get(name) ?? 0)]);
  return spent.filter(([, ms]) => ms > 0).sort((a, b) => b[1] - a[1]);
}

/** Bytes that a thread, or several, have read and written by system calls, sockets included. */
export interface ThreadIo {
  readonly readBytes: number;
  readonly writtenBytes: number;
}

const SOME_IO = /^rchar: (\d+)\nwchar: (\d+)\n(?:.*\n)*read_bytes: (\d+)\nwrite_bytes: (\d+)$/m;

/** Returns the bytes that a whole process has read and written, and the part of them that reached the disk. */
export function processIo(pid: number): ThreadIo & { readonly diskReadBytes: number; readonly diskWrittenBytes: number } {
  const [, rchar, wchar, read, written] = SOME_IO.exec(fs.readFileSync(`/proc/${pid}/io`, 'utf8'))!;
  return { readBytes: Number(rchar), writtenBytes: Number(wchar), diskReadBytes: Number(read), diskWrittenBytes: Number(written) };
}

/**
 * Sums the disk accesses of all live threads whose name has this prefix. RocksDB's threads do nothing but read and
 * write tables.
 */
export function threadIo(pid: number, prefix: string): ThreadIo {
  let [readBytes, writtenBytes] = [0, 0];
  for (const tid of fs.readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${tid}`;
    if (!fs.readFileSync(`${folder}/comm`, 'utf8').startsWith(prefix)) continue;
    const [, rchar, wchar] = SOME_IO.exec(fs.readFileSync(`${folder}/io`, 'utf8'))!;
    readBytes += Number(rchar);
    writtenBytes += Number(wchar);
  }
  return { readBytes, writtenBytes };
}

/** Processor milliseconds of each thread of a process so far, by its id. */
export function threadTimes(pid: number): Map<number, number> {
  const times = new Map<number, number>();
  for (const tid of fs.readdirSync(`/proc/${pid}/task`)) {
    try {
      // The first number is the time on a processor in nanoseconds. The file stat only counts ticks of 10 ms.
      times.set(Number(tid), Number(fs.readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ')[0]) / 1e6);
    } catch {
      // The thread has ended since the folder was read.
    }
  }
  return times;
}

/** Returns the processor milliseconds that each thread has used since `before`, the busiest first. */
export function busyThreads(pid: number, before: ReadonlyMap<number, number>): { readonly tid: number; readonly ms: number }[] {
  const spent = [...threadTimes(pid)].map(([tid, ms]) => ({ tid, ms: ms - (before.get(tid) ?? 0) }));
  return spent.filter(({ ms }) => ms > 0).sort((a, b) => b.ms - a.ms);
}

/**
 * Returns the processor milliseconds of a process so far: of its first thread, which is the node thread of adit, and of
 * all other threads together.
 */
export function nodeThreadMilliseconds(pid: number): { readonly main: number; readonly others: number } {
  const times = threadTimes(pid);
  const main = times.get(pid) ?? 0;
  return { main, others: [...times.values()].reduce((sum, ms) => sum + ms, -main) };
}
