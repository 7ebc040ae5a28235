// Starts a guest, once for all: what LangChain and LangGraph report is theirs to change. Takes two seconds.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runRequest, startGuest, type GuestProcess } from './guest-process.ts';
import { startMemoryHost, type MemoryHost } from './memory-host.ts';
import { spansOf, tracedAgents, traceCases } from './trace-cases.ts';

const ids = /[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|"latency_ms":[\d.]+/g;

describe('the stream mode for the history of a run', () => {
  let host: MemoryHost;
  let guest: GuestProcess;
  let runs = 0;

  beforeAll(async () => {
    host = await startMemoryHost();
    guest = await startGuest(host, {
      ...tracedAgents,
      large: './tracing.ts:large',
      oddities: './tracing.ts:oddities',
      waiting: './tracing.ts:waiting',
    });
  });
  afterAll(async () => {
    await guest.kill();
    await host.close();
  });

  function requestOf(agentId: string, streamModes: string[]) {
    runs += 1;
    return runRequest(`t-${runs}`, `r-${runs}`, {
      agentId,
      inputJson: '{"n":1}',
      streamModes,
      streamSubgraphs: true,
    });
  }
  const run = (agentId: string, streamModes = ['trace']) =>
    guest.invoke(requestOf(agentId, streamModes));

  it.each(traceCases)('reports $reports', async ({ agent, status, spans }) => {
    const { end, chunks } = await run(agent);
    expect(end.status).toBe(status);
    expect(spansOf(chunks)).toEqual(spans);
  });

  it('cuts what is long', async () => {
    const { chunks } = await run('large');
    const [look, weather] = spansOf(chunks);
    expect(weather?.['output']).toMatchObject({ truncated: true, bytes: 200_014 });
    expect(look?.['output']).toMatchObject({
      preview: expect.stringMatching(/^.{4096}$/) as unknown,
    });
  });

  it('fails no run because of values without a text', async () => {
    const { end, chunks } = await run('oddities');
    expect(end.status).toBe('completed');
    expect(spansOf(chunks).slice(1)).toMatchObject([
      { status: 'completed', output: { big: '10', self: '[Circular]' } },
      { status: 'error', error: { type: 'Error', message: '' } },
    ]);
  });

  it('reports a node that is cancelled as failed', async () => {
    const request = requestOf('waiting', ['trace']);
    const { outcome } = guest.start(request);
    await guest.logSeen(({ text }) => text === 'waiting');
    await guest.cancel(request.token ?? '');
    const { end, chunks } = await outcome;
    expect(end.status).toBe('cancelled');
    expect(spansOf(chunks)).toMatchObject([
      { name: 'wait', status: 'error', error: { type: 'CancelledError' } },
    ]);
  });

  it.each(['parallel', 'nested', 'calling', 'functional'])(
    'changes nothing that clients see of %s',
    async (agent) => {
      const streamed = async (...modes: string[]) => {
        const { chunks } = await run(agent, modes);
        const thread = `t-${runs}"`;
        return chunks.map(({ mode, ns, json }) => [
          mode,
          `${ns} ${json}`.replaceAll(ids, '').replaceAll(thread, '"').replaceAll(`r-${runs}"`, '"'),
        ]);
      };
      const modes = ['values', 'updates', 'messages', 'custom', 'tasks', 'checkpoints'];
      const without = await streamed(...modes);
      expect(without.map(([mode]) => mode)).not.toContain('trace');
      const both = await streamed(...modes, 'trace');
      expect(both.filter(([mode]) => mode !== 'trace')).toEqual(without);
      const calls = await streamed('calls');
      const all = await streamed('calls', 'trace');
      expect(all.filter(([mode]) => mode === 'calls')).toEqual(calls);
    },
  );
});
