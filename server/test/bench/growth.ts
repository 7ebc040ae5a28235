import { startService } from '../fixtures/start-service.ts';
import { BenchClient } from './http-client.ts';
import { atOnce } from './measure.ts';
import { processorMs, serviceProcesses } from './processes.ts';
import { add, count, progress } from './report.ts';
import { LANES, ourCalls } from './run-calls.ts';
import { untilHealthy } from './until-healthy.ts';

/** Runs of each thread at the end of each stretch. The first of them used to be much cheaper than the others. */
const STRETCHES = [19, 46, 73, 100];

/** What a run costs while its thread is new, and once the thread has a past: processor time of the whole service. */
export async function measureGrowth(agents: string): Promise<void> {
  const service = await startService({ agents, environment: { SERVICE_LOG_LEVEL: 'warn' } });
  const client = new BenchClient(service.url);
  try {
    await untilHealthy(service);
    // Code that is still being compiled would make the first stretch the dearest.
    const others = await ourCalls(client, 'noop_js');
    await atOnce(LANES, count(1_000, 500), others.onThread);
    const { onThread } = await ourCalls(client, 'noop_js');
    const spent = (): number[] => serviceProcesses(service.pid).map(({ pid }) => processorMs(pid));
    const costs: number[] = [];
    let [done, before] = [0, spent()];
    for (const upTo of STRETCHES) {
      const runs = (upTo - done) * LANES;
      await atOnce(LANES, runs, onThread);
      const now = spent();
      const parts = now.map((value, index) => (value - (before[index] ?? 0)) / runs);
      costs.push(parts.reduce((sum, part) => sum + part, 0));
      const text = parts.map((part) => part.toFixed(1)).join(' + ');
      progress(`runs ${done + 1} to ${upTo} of each thread: ${text} ms`);
      [done, before] = [upTo, now];
    }
    const [first = NaN, ...later] = costs;
    const worst = Math.max(...later);
    add(
      `${LANES} threads, processor ms of a run: first ${STRETCHES[0]} each, then up to ${done}`,
      `${costs.map((cost) => cost.toFixed(1)).join(', ')}, ratio ${(worst / first).toFixed(2)}`,
      'ratio 1.1',
    );
  } finally {
    client.close();
    await service.stop();
  }
}
