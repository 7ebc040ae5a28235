import { soakAgents } from '../soak/agents.ts';
import { soakThread } from '../soak/long-thread.ts';
import { add, count, ms, progress } from './report.ts';

const RUNS = 1_000;

/** What a thread with a long past costs: its last runs against its first, and the first read after a restart. */
export async function measureLongThread(): Promise<void> {
  // As many as the thread keeps, and those that the first and the last figure are about.
  const runs = count(RUNS, 200);
  const { first, last, firstRead, coldRead } = await soakThread({
    ...soakAgents.noop_js,
    runs,
    onProgress: progress,
  });
  const ratio = `${ms(first.p50)} and ${ms(last.p50)}, ratio ${(last.p50 / first.p50).toFixed(2)}`;
  add(`${runs} runs on one thread: p50 of first and last 100`, ratio, 'ratio 1.1');
  add(`cold read of a thread of ${runs} runs, once healthy`, ms(coldRead), '400 ms');
  add('  sent when the address is printed', ms(firstRead));
}
