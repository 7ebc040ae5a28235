import { randomUUID } from 'node:crypto';
import type { BenchClient, StreamTimes } from './http-client.ts';

/** Runs at once. */
export const LANES = 16;

/** The ways in which the benchmark asks a server for a run of an agent that does nothing. */
export interface RunCalls {
  /** A run without a thread of the client's. */
  stateless(): Promise<string>;
  /** A run on one of `LANES` threads that exist. */
  onThread(lane: number): Promise<string>;
  /** A run without a thread whose events are read. */
  stream(): Promise<StreamTimes>;
}

const asked = { input: { count: 0 }, stream_mode: ['values'] };

/** Runs of this service. */
export async function ourCalls(client: BenchClient, agent: string): Promise<RunCalls> {
  const body = { agent_id: agent, ...asked };
  const threads = await makeThreads(client);
  return {
    stateless: () => client.send('POST', '/runs/wait', body),
    onThread: (lane) =>
      client.send('POST', `/threads/${threads[lane % LANES]}/runs?wait=60s`, body),
    stream: () => client.stream('/runs/stream', body),
  };
}

/** The same of LangGraph's own server. */
export async function langGraphCalls(client: BenchClient, agent: string): Promise<RunCalls> {
  const body = { assistant_id: agent, ...asked };
  const threads = await makeThreads(client);
  return {
    stateless: () => client.send('POST', '/runs/wait', body),
    onThread: (lane) => client.send('POST', `/threads/${threads[lane % LANES]}/runs/wait`, body),
    stream: () => client.stream('/runs/stream', body),
  };
}

function makeThreads(client: BenchClient): Promise<string[]> {
  return Promise.all(
    Array.from({ length: LANES }, async () => {
      const id = randomUUID();
      await client.send('POST', '/threads', { thread_id: id });
      return id;
    }),
  );
}
