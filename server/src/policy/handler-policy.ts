import { refusedBy, ServiceError } from '../errors/service-error.ts';
import { userOf } from '../model/principal.ts';
import type { Operation, PolicyPort, PolicyQuestion } from './port.ts';

/** A question to a handler, with LangGraph's names. */
export interface HandlerQuestion {
  /** As `@auth.authenticate` returned it. */
  user: Record<string, unknown>;
  resource: 'threads' | 'assistants' | 'crons' | 'store';
  action: string;
  value: Record<string, unknown>;
}

export type HandlerResult =
  | { kind: 'permitted'; value: Record<string, unknown>; filter?: Record<string, unknown> }
  | { kind: 'refused'; status: number; detail: string }
  | { kind: 'failed'; message: string };

/** The `@auth.on` handlers of the manifest. Rejects with a ServiceError when they cannot be called. */
export interface HandlerPort {
  authorize(question: HandlerQuestion): Promise<HandlerResult>;
}

type Asked = Pick<HandlerQuestion, 'resource' | 'action'>;

/** LangGraph's names for our operations. Its handlers are not called for the folder's own routes, nor for policies. */
const asked: Readonly<Record<Operation, Asked | undefined>> = {
  'service:app:call': undefined,
  'service:policy:read': undefined,
  'service:policy:explain': undefined,
  'service:thread:create': { resource: 'threads', action: 'create' },
  'service:thread:read': { resource: 'threads', action: 'read' },
  'service:thread:update': { resource: 'threads', action: 'update' },
  'service:thread:delete': { resource: 'threads', action: 'delete' },
  'service:thread:copy': { resource: 'threads', action: 'read' },
  'service:thread:search': { resource: 'threads', action: 'search' },
  'service:bundle:export': { resource: 'threads', action: 'read' },
  'service:bundle:import': { resource: 'threads', action: 'create' },
  'service:run:create': { resource: 'threads', action: 'create_run' },
  'service:run:list': { resource: 'threads', action: 'search' },
  'service:run:search': { resource: 'threads', action: 'search' },
  'service:run:read': { resource: 'threads', action: 'read' },
  'service:run:stream': { resource: 'threads', action: 'read' },
  'service:run:logs': { resource: 'threads', action: 'read' },
  'service:run:cancel': { resource: 'threads', action: 'update' },
  'service:run:delete': { resource: 'threads', action: 'delete' },
  'service:state:read': { resource: 'threads', action: 'read' },
  'service:state:history': { resource: 'threads', action: 'read' },
  'service:state:update': { resource: 'threads', action: 'update' },
  'service:agent:list': { resource: 'assistants', action: 'search' },
  'service:agent:search': { resource: 'assistants', action: 'search' },
  'service:agent:read': { resource: 'assistants', action: 'read' },
  'service:assistant:create': { resource: 'assistants', action: 'create' },
  'service:assistant:read': { resource: 'assistants', action: 'read' },
  'service:assistant:update': { resource: 'assistants', action: 'update' },
  'service:assistant:delete': { resource: 'assistants', action: 'delete' },
  'service:assistant:search': { resource: 'assistants', action: 'search' },
  'service:cron:create': { resource: 'crons', action: 'create' },
  'service:cron:read': { resource: 'crons', action: 'read' },
  'service:cron:update': { resource: 'crons', action: 'update' },
  'service:cron:delete': { resource: 'crons', action: 'delete' },
  'service:cron:search': { resource: 'crons', action: 'search' },
  'service:store:list': { resource: 'store', action: 'list_namespaces' },
  'service:store:put': { resource: 'store', action: 'put' },
  'service:store:get': { resource: 'store', action: 'get' },
  'service:store:delete': { resource: 'store', action: 'delete' },
  'service:store:search': { resource: 'store', action: 'search' },
};

/** The policy of a folder with an `auth`: its own handlers decide. */
export function createHandlerPolicy(handlers: HandlerPort): PolicyPort {
  async function permit(question: PolicyQuestion): ReturnType<NonNullable<PolicyPort['permit']>> {
    const { principal, operation, given = {} } = question;
    const words = asked[operation];
    if (!words) return {};
    const user = userOf(principal.claims);
    const result = await handlers.authorize({ user, ...words, value: { ...given } });
    if (result.kind === 'refused') {
      throw refusedBy(result, { operation, resource: question.resource.mrn });
    }
    if (result.kind === 'failed') throw new ServiceError('auth_failed', result.message);
    return { given: result.value, ...(result.filter && { filter: result.filter }) };
  }
  return {
    permit,
    // The filter of the list's own question already decides about all rows.
    isPermitted: () => true,
  };
}
