import type { JsonText } from '../../model/json.ts';
import type { StateService } from '../../threads/state-service.ts';
import { objectOf, scanObject } from '../response/raw-members.ts';
import type { AskedRun, RunTarget } from './begin-run.ts';
import { knownState } from './pending-questions.ts';

const RESUMING = '__pregel_resuming';
const ANSWERS = '__pregel_resume_map';
const names = new Set([RESUMING, ANSWERS, '__pregel_durability', '__pregel_stream_messages_v2']);

/**
 * A run's `configurable` without what a RemoteGraph in Python sends of the graph that it is a node of: the run here
 * does not get it.
 */
export function withoutOuterGraph(configurable: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(configurable).filter(([name]) => !names.has(name)));
}

/**
 * The run that a RemoteGraph asks for whose outer graph resumes: as under LangGraph's server it continues its thread,
 * with the answers to the questions there, and without the input, which the thread has taken before. Any other run,
 * and one whose thread has no state to continue from, is returned as it is.
 */
export async function resumedRun(
  states: StateService,
  asked: AskedRun,
  { threadId }: RunTarget,
): Promise<AskedRun> {
  const outer = outerGraphOf(asked);
  if (!outer || threadId === undefined || asked.body.command !== undefined) return asked;
  const state = await knownState(states, asked.principal, threadId);
  if (state?.checkpoint === undefined) return asked;
  const answers = new Map(
    state.interrupts.flatMap(({ id }) => {
      const answer = outer.answers.get(id);
      return answer === undefined ? [] : [[id, answer]];
    }),
  );
  const { body, members } = asked;
  const resumed = { ...asked, body: { ...body, input: undefined } };
  if (answers.size === 0) return resumed;
  const command = objectOf(new Map([['resume', objectOf(answers)]]));
  return {
    ...resumed,
    body: { ...resumed.body, command: JSON.parse(command) as Record<string, unknown> },
    members: new Map([...members, ['command', command]]),
  };
}

/** The answers that an outer graph resumes with, by the ids of the questions; absent where none resumes. */
function outerGraphOf({
  members,
}: AskedRun): { answers: ReadonlyMap<string, JsonText> } | undefined {
  const config = members.get('config');
  if (config?.includes(RESUMING) !== true) return undefined;
  const configurable = membersOf(membersOf(config).get('configurable'));
  if (configurable.get(RESUMING) !== 'true') return undefined;
  return { answers: membersOf(configurable.get(ANSWERS)) };
}

const NONE: ReadonlyMap<string, JsonText> = new Map();

function membersOf(text: JsonText | undefined): ReadonlyMap<string, JsonText> {
  return text?.trimStart().startsWith('{') === true ? scanObject(text).members : NONE;
}
