// What the kernel knows about another process: memory and processor time. Linux only, as the benches that ask.
import fs from 'node:fs';

/** Highest resident memory of a process so far, in megabytes. */
export function highestMemory(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1000;
}

/** Resident memory of a process now, in megabytes. */
export function residentMemory(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1000;
}

/** Seconds of processor time that a process has used, on all its threads. */
export function processorSeconds(pid: number): number {
  // The name in the second field may hold blanks; behind its bracket, the 12th and 13th field are user and system time in 1/100 s.
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
