// Ends what a test run left when the run itself was killed. Its standard input is a pipe from the run that reports, a line
// for each job, `begun <mark> <pid of its leader, once it is known>` and `over <mark>`; the pipe closes when the run is
// gone, however that happened.
import process from 'node:process';
import { createInterface } from 'node:readline';
import { endProcesses } from './job-processes.ts';

const jobs = new Map<string, number | undefined>();
for await (const line of createInterface({ input: process.stdin })) {
  const [word = '', mark = '', pid] = line.split(' ');
  if (word === 'begun') jobs.set(mark, pid === undefined ? undefined : Number(pid));
  if (word === 'over') jobs.delete(mark);
}
for (const [mark, leader] of jobs) endProcesses(mark, leader);
