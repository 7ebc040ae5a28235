import type { Operation } from '../policy/port.ts';

/** One question to the policy about a request. docs/policy.md has a table of all of them, made from the routes. */
export interface AskedPermission {
  operation: Operation;
  /** Its `{name}`s are those of the path; others are for what the request names elsewhere, or makes. */
  resource: string;
  /** In words. Absent: with every request. */
  when?: string;
}

const THREAD = 'mrn:service:thread:{thread_id}';
const STATE = 'mrn:service:state:{thread_id}';
const RUN = 'mrn:service:run:{thread_id}_{run_uuid}';
const RUNS_OF_THREAD = 'mrn:service:run:{thread_id}_*';

const ROW = 'of each row: others are left out';
const KEY = 'of what an `Idempotency-Key` has made';
const WAITED = 'when the request waits for the run';
const LEFT = 'when the client leaves and the run is cancelled for it';

const asked = (operation: Operation, resource: string, when?: string): AskedPermission => ({
  operation,
  resource,
  ...(when !== undefined && { when }),
});

/** Routes that are not asked about: they are public, or do nothing. */
export const asksNothing: readonly AskedPermission[] = [];

/** An operation on the thread of the path. */
export const asksThread = (
  verb: 'read' | 'update' | 'delete' | 'copy',
  when?: string,
): AskedPermission => asked(`service:thread:${verb}`, THREAD, when);

/** An operation on the state of the thread of the path. */
export const asksState = (verb: 'read' | 'history' | 'update', when?: string): AskedPermission =>
  asked(`service:state:${verb}`, STATE, when);

/** An operation on the run of the path, with its thread or by its composite id. */
export const asksRun = (
  verb: 'read' | 'stream' | 'logs' | 'cancel' | 'delete',
  when?: string,
): AskedPermission => asked(`service:run:${verb}`, RUN, when);

/** An operation on the agent of the path. */
export const asksAgent = asked('service:agent:read', 'mrn:service:agent:{name}');

/** The same where the assistant may also be one that a user made. */
export const asksAgentOfAssistant = asked(
  'service:agent:read',
  'mrn:service:agent:{name}',
  'of the assistant of an agent',
);

/** What policies decide, and why. */
export const asksPolicies = (verb: 'read' | 'explain'): readonly AskedPermission[] => [
  asked(`service:policy:${verb}`, 'mrn:service:policy:*', 'unless in test mode'),
];

/** A new thread. */
export const asksNewThread = [
  asked('service:thread:create', THREAD),
  asked(
    'service:thread:read',
    THREAD,
    `with \`if_exists: do_nothing\` of one that is there; ${KEY}`,
  ),
];

/** A copy of the thread of the path. */
export const asksCopy = [
  asksThread('copy'),
  asked('service:thread:create', 'mrn:service:thread:{copy_id}'),
];

/** A copy that takes an idempotency key. */
export const asksCopyOnce = [
  ...asksCopy,
  asked('service:thread:read', 'mrn:service:thread:{copy_id}', KEY),
];

/** A search for threads. */
export const asksSearch = [
  asked('service:thread:search', 'mrn:service:thread:*'),
  asked('service:thread:read', THREAD, ROW),
];

/** A thread in a file. */
export const asksExport = [asked('service:bundle:export', THREAD), asksState('read')];
export const asksImport = [
  asked('service:bundle:import', 'mrn:service:thread:*'),
  asked('service:thread:create', THREAD),
];

/** A new run, whatever thread it is on. */
const asksNewRun = (when = KEY): AskedPermission[] => [
  asked('service:run:create', RUN),
  asksRun('read', when),
];

/** What a new run does to the others of its thread. */
const asksOthers = [
  asked(
    'service:run:cancel',
    RUNS_OF_THREAD,
    'with `multitask_strategy` `interrupt` or `rollback`',
  ),
  asked('service:run:delete', RUNS_OF_THREAD, 'with `multitask_strategy: rollback`'),
];

/** A new run on the thread of the path: nothing more, with its end, or with its events. */
export const asksRunOnThread = [...asksNewRun(), ...asksOthers];
export const asksRunAwaited = [
  ...asksNewRun(`${WAITED}; ${KEY}`),
  ...asksOthers,
  asksRun('cancel', LEFT),
];
export const asksRunFollowed = [
  ...asksNewRun(),
  asksRun('stream'),
  ...asksOthers,
  asksRun('cancel', LEFT),
];

/** The end of a run that is sent somewhere. */
export const asksWebhook = asksRun('read', 'with a `webhook`');

/** Several new runs on threads of their own. */
export const asksBatch = [asked('service:run:create', RUN, 'of each run')];

/** A new run on its own thread, likewise. */
export const asksStateless = asksNewRun();
export const asksStatelessAwaited = [
  asked('service:run:create', RUN),
  asksRun('read'),
  asksRun('cancel', LEFT),
];
export const asksStatelessFollowed = [...asksNewRun(), asksRun('stream'), asksRun('cancel', LEFT)];

/** LangGraph's API may make the thread of a run. */
export const asksThreadOfRun = [
  asked('service:thread:create', THREAD, 'with `if_not_exists: create`, where there is no thread'),
  asked('service:thread:read', THREAD, 'then, where another request has made it meanwhile'),
];

/** A command of LangGraph's streaming protocol: most start a run on the thread of the path. */
export const asksCommand: AskedPermission[] = [
  ...[asked('service:run:create', RUN), asksRun('stream')].map((one) => ({
    ...one,
    when: 'with a command that starts a run',
  })),
  ...asksOthers,
  ...asksThreadOfRun,
  asksState('read', 'with `state.get`, and for what the thread waits for'),
];

/** Tasks of the Agent2Agent protocol, which are runs. */
export const asksTasks: AskedPermission[] = [
  asked('service:run:create', RUN, 'with a message'),
  ...asksThreadOfRun,
  asksState('read', 'with a message of a context, and where the run left no values'),
  asksRun('read', 'with `message/send`, `tasks/get` and `tasks/cancel`'),
  asksRun('stream', 'with `message/stream` and `tasks/resubscribe`'),
  asksRun('cancel', 'with `tasks/cancel`'),
];

/** LangGraph's API responds to a run with values. */
export const asksValues = asksState('read', 'where the run left no values');

/** The runs of the thread of the path. */
export const asksRunList = (when?: string): AskedPermission[] => [
  asked('service:run:list', THREAD, when),
  asked('service:run:read', RUNS_OF_THREAD, when ?? 'denied: the list is empty'),
];

/** A model call of the run of the path, made again outside of runs: with the rights of a new run there. */
export const asksModelCall = [asksRun('read'), asked('service:run:create', RUN)];

/** Runs over all threads, from the run history. */
export const asksRunSearch = [
  asked('service:run:search', 'mrn:service:run:*'),
  asked('service:run:read', RUNS_OF_THREAD, ROW),
];

/** What a stream that a client leaves may do to its run. */
export const asksLeftRun = asksRun('cancel', LEFT);

/** Agents, in a list or a search. */
export const asksAgents = (verb: 'list' | 'search'): AskedPermission[] => [
  asked(`service:agent:${verb}`, 'mrn:service:agent:*'),
  asked('service:agent:read', 'mrn:service:agent:{name}', ROW),
];

const ASSISTANT = 'mrn:service:assistant:{assistant_id}';

/** An operation on the assistant of the path, unless it is that of an agent. */
export const asksAssistant = (verb: 'read' | 'update' | 'delete'): AskedPermission =>
  asked(`service:assistant:${verb}`, ASSISTANT, 'unless it is that of an agent');

/** The threads that are deleted with an assistant. */
export const asksThreadsOfAssistant: AskedPermission[] = [
  asked('service:thread:search', 'mrn:service:thread:*', 'with `delete_threads`'),
  asked('service:thread:read', THREAD, 'with `delete_threads`, of each thread'),
  ...asksRunList('with `delete_threads`, of each thread of its agent'),
  asksThread('delete', 'with `delete_threads`, of each thread that is its'),
];

/** A new assistant, of an agent that is served. */
export const asksNewAssistant: AskedPermission[] = [
  asked('service:assistant:create', ASSISTANT),
  asked('service:assistant:read', ASSISTANT, 'with `if_exists: do_nothing` of one that is there'),
];

/** Assistants in a search, beside those of the agents. */
export const asksAssistants: AskedPermission[] = [
  ...asksAgents('list'),
  asked(
    'service:assistant:search',
    'mrn:service:assistant:*',
    'without it there are only those of agents',
  ),
  asked('service:assistant:read', ASSISTANT, ROW),
];

const CRON = 'mrn:service:cron:{cron_id}';

/** An operation on the cron of the path. */
export const asksCron = (verb: 'read' | 'update' | 'delete'): AskedPermission =>
  asked(`service:cron:${verb}`, CRON);

/** The assistant that a cron is to run. */
export const asksAssistantOfCron = asked(
  'service:assistant:read',
  ASSISTANT,
  'of an assistant that a user made',
);

/** A new cron. What it makes is asked about each time. */
export const asksNewCron = [asked('service:cron:create', CRON), asksAssistantOfCron];

/** Crons in a search. */
export const asksCrons = [
  asked('service:cron:search', 'mrn:service:cron:*'),
  asked('service:cron:read', CRON, ROW),
];

/** Items and paths of the store. */
export const asksItem = (verb: 'put' | 'get' | 'delete'): AskedPermission[] => [
  asked(`service:store:${verb}`, 'mrn:service:store:{namespace}/{key}'),
];
export const asksItems = [
  asked('service:store:search', 'mrn:service:store:{namespace}'),
  asked('service:store:get', 'mrn:service:store:{namespace}/{key}', ROW),
];
export const asksNamespaces = [
  asked('service:store:list', 'mrn:service:store:{prefix}'),
  asked('service:store:list', 'mrn:service:store:{namespace}', ROW),
];
