import type { ThreadId } from '../model/ids.ts';
import type { Operation, PolicyQuestion, Resource } from './port.ts';
import {
  agentResource,
  appResource,
  assistantResource,
  cronResource,
  policyResource,
  runsResource,
  stateResource,
  storeNamespaceResource,
  threadResource,
} from './resources.ts';

/**
 * The resources that a principal's permissions are requested for: a thread, an agent, an agent in a thread; none: all
 * others.
 */
export interface AskedAbout {
  /** The principal that would ask. */
  sub: string;
  thread?: { threadId: ThreadId; owner?: string };
  agentId?: string;
}

type ResourceOf = (about: AskedAbout) => Resource;
type ThreadResourceOf = (thread: NonNullable<AskedAbout['thread']>) => Resource;

interface Asked {
  thread?: ThreadResourceOf;
  agent?: ResourceOf;
  /** For operations without a thread or an agent. */
  service?: ResourceOf;
}

const thread: ThreadResourceOf = ({ threadId, owner }) => threadResource(threadId, owner);
const run: ThreadResourceOf = ({ threadId, owner }) => runsResource(threadId, owner);
const state: ThreadResourceOf = ({ threadId, owner }) => {
  return { ...stateResource(threadId), ...(owner !== undefined && { owner }) };
};
const wholeStore: ResourceOf = () => storeNamespaceResource([]);

/** Every operation with the resource that services ask about, in the order of the response. */
const askedOf: Readonly<Record<Operation, Asked>> = {
  'service:thread:create': { service: ({ sub }) => threadResource('*', sub) },
  'service:thread:search': { service: () => threadResource('*') },
  'service:thread:read': { thread },
  'service:thread:update': { thread },
  'service:thread:delete': { thread },
  'service:thread:copy': { thread },
  'service:bundle:export': { thread },
  'service:bundle:import': { service: () => threadResource('*') },
  'service:run:create': {
    thread: run,
    // On a thread created for it.
    agent: ({ sub }) => runsResource(undefined, sub),
    service: ({ sub }) => runsResource(undefined, sub),
  },
  'service:run:list': { thread },
  'service:run:search': { service: () => runsResource(undefined) },
  'service:run:read': { thread: run },
  'service:run:stream': { thread: run },
  'service:run:logs': { thread: run },
  'service:run:cancel': { thread: run },
  'service:run:delete': { thread: run },
  'service:state:read': { thread: state },
  'service:state:history': { thread: state },
  'service:state:update': { thread: state },
  'service:agent:list': { service: () => agentResource('*') },
  'service:agent:search': { service: () => agentResource('*') },
  'service:agent:read': { agent: ({ agentId = '*' }) => agentResource(agentId) },
  'service:assistant:create': { service: ({ sub }) => assistantResource('*', sub) },
  'service:assistant:search': { service: () => assistantResource('*') },
  'service:assistant:read': { service: ({ sub }) => assistantResource('*', sub) },
  'service:assistant:update': { service: ({ sub }) => assistantResource('*', sub) },
  'service:assistant:delete': { service: ({ sub }) => assistantResource('*', sub) },
  'service:cron:create': { service: ({ sub }) => cronResource('*', sub) },
  'service:cron:search': { service: () => cronResource('*') },
  'service:cron:read': { service: ({ sub }) => cronResource('*', sub) },
  'service:cron:update': { service: ({ sub }) => cronResource('*', sub) },
  'service:cron:delete': { service: ({ sub }) => cronResource('*', sub) },
  'service:store:list': { service: wholeStore },
  'service:store:search': { service: wholeStore },
  'service:store:get': { service: wholeStore },
  'service:store:put': { service: wholeStore },
  'service:store:delete': { service: wholeStore },
  'service:app:call': { service: () => appResource('/') },
  'service:policy:read': { service: () => policyResource },
  'service:policy:explain': { service: () => policyResource },
};

/** The questions that services would ask. An agent given with a thread is the one that would run on it. */
export function questionsAbout(about: AskedAbout): Omit<PolicyQuestion, 'principal'>[] {
  const { agentId } = about;
  const given = agentId === undefined ? {} : { given: { assistant_id: agentId } };
  return Object.entries(askedOf).flatMap(([name, asked]) => {
    const operation = name as Operation; // a key of the table
    const resources = resourcesOf(asked, about);
    return resources.map((resource) => {
      return { operation, resource, ...(operation === 'service:run:create' && given) };
    });
  });
}

/** An operation on both a thread and an agent is asked about the thread. */
function resourcesOf(asked: Asked, about: AskedAbout): Resource[] {
  if (about.thread && asked.thread) return [asked.thread(about.thread)];
  if (about.agentId !== undefined && asked.agent) return [asked.agent(about)];
  const isAboutNothing = !about.thread && about.agentId === undefined;
  return isAboutNothing && asked.service ? [asked.service(about)] : [];
}
