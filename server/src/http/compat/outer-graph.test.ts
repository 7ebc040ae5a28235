/** The runs that a RemoteGraph in Python asks for, as a node of a graph that resumes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type HttpService, startHttpService } from '../../../test/fixtures/http-service.ts';
import type { RunUuid, ThreadId } from '../../model/ids.ts';
import { jsonText } from '../../model/json.ts';
import type { RunStart } from '../../model/run/run.ts';

let service: HttpService;
beforeAll(async () => {
  service = await startHttpService();
});
afterAll(() => service.close());

const threadId = 't' as ThreadId; // a valid id
const id = 'd4b0fdb7559b4379bc3723b2a132b255';

async function startOf(body: object): Promise<RunStart> {
  const response = await fetch(`${service.url}/compat/langgraph/threads/t/runs`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ assistant_id: 'echo', if_not_exists: 'create', ...body }),
  });
  const { run_id } = (await response.json()) as { run_id: RunUuid };
  const { start } = await service.engine.requestOf(threadId, run_id);
  const interrupts = [{ id, value: 'Go on?' }];
  const asked = { status: 'interrupted' as const, output: jsonText('{}'), interrupts };
  service.engine.endRun(threadId, run_id, asked);
  return start;
}

function resumed(answers?: object): object {
  return {
    input: { wish: 'ask' },
    config: { configurable: { __pregel_resuming: true, __pregel_resume_map: answers } },
  };
}

it('continue a thread that has a state, with the answers to its questions', async () => {
  const input = { kind: 'input', json: '{"wish":"ask"}' };
  expect(await startOf(resumed())).toEqual(input);
  service.engine.saveCheckpoints(threadId, [{ id: 'c', values: jsonText('{}') }]);
  const other = 'f38d8438d1208b6448c299944fee612a';
  expect(await startOf(resumed())).toEqual({ kind: 'proceed' });
  expect(await startOf(resumed({ [other]: 'no' }))).toEqual({ kind: 'proceed' });
  expect(await startOf(resumed({ [id]: { n: 1 }, [other]: 'no' }))).toEqual({
    kind: 'command',
    json: `{"resume":{"${id}":{"n":1}}}`,
  });
  const command = { command: { update: { n: 2 } } };
  expect(await startOf({ ...resumed({ [id]: 1 }), ...command })).toMatchObject({
    json: '{"update":{"n":2}}',
  });
  expect(await startOf({ input: { wish: 'ask' } })).toEqual(input);
});
