import type { fakeService } from './fake-service.ts';

type FakeAssistant = Record<string, unknown>;
type Handlers = Parameters<typeof fakeService>[0];

/** An assistant as the service shows it. */
export function assistant(id: string, members: FakeAssistant = {}): FakeAssistant {
  return {
    assistant_id: id,
    graph_id: 'approval',
    name: id,
    description: null,
    config: {},
    context: {},
    metadata: {},
    version: 1,
    created_at: '2026-11-21T12:00:00.000Z',
    updated_at: '2026-11-21T12:00:00.000Z',
    ...members,
  };
}

/** A service that keeps these assistants, beside the one that it makes of the agent itself. */
export function fakeAssistants(
  kept: FakeAssistant[],
  agentId = 'approval',
): { kept: FakeAssistant[]; handlers: Handlers } {
  const own = assistant(`${agentId}-own`, {
    graph_id: agentId,
    metadata: { created_by: 'system' },
  });
  const byId = (path: string) =>
    kept.findIndex(({ assistant_id: id }) => path.endsWith(`/${String(id)}`));
  const base = '/compat/langgraph/assistants';
  const handlers: Handlers = {
    [`POST ${base}/search`]: ({ body }) => {
      const { name } = body as { name?: string };
      const named = kept.filter((one) => name === undefined || String(one['name']).includes(name));
      return [...named, own];
    },
    [`POST ${base}`]: ({ body }) => {
      const made = assistant(`made-${kept.length}`, body as FakeAssistant);
      kept.push(made);
      return made;
    },
    [`PATCH ${base}/:id`]: ({ path, body }) => {
      const index = byId(path);
      const before = kept[index] ?? {};
      const version = Number(before['version']) + 1;
      return (kept[index] = { ...before, ...(body as FakeAssistant), version });
    },
    [`DELETE ${base}/:id`]: ({ path }) => {
      kept.splice(byId(path), 1);
      return new Response(null, { status: 204 });
    },
  };
  return { kept, handlers };
}
