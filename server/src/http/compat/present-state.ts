import { type JsonText, jsonText, toJsonText } from '../../model/json.ts';
import { objectOf, scanObject } from '../response/raw-members.ts';

interface CheckpointReference {
  checkpoint_id?: string;
  thread_id?: string;
}

/** The members of a state that are read here; all others stay as the guest wrote them. */
interface Known {
  id: string | undefined;
  threadId: string | undefined;
  parentId: string | undefined;
  step: number;
}

/** A state in LangGraph Server's form; without a checkpoint, its ids and checkpoint are null. */
export function presentState(state: JsonText, select?: readonly string[]): JsonText {
  const { members } = scanObject(state);
  const { id = null, parentId = null, threadId } = knownOf(members);
  if (id === null) {
    members.set('checkpoint', jsonText('null'));
    members.set('metadata', jsonText('{}'));
  } else if (threadId !== undefined) {
    members.set('metadata', withThread(members.get('metadata'), threadId));
  }
  members.set('checkpoint_id', toJsonText(id));
  members.set('parent_checkpoint_id', toJsonText(parentId));
  if (select === undefined) return objectOf(members);
  return objectOf(new Map([...members].filter(([name]) => select.includes(name))));
}

/**
 * A history in which every state has its parent, if possible. When few checkpoints are retained, a state's parent may
 * be deleted: useStream would then treat older states as a separate branch. The nearest older state of a lower step
 * replaces the parent.
 */
export function presentStates(states: readonly JsonText[], select?: readonly string[]): JsonText[] {
  const scanned = states.map((state) => scanObject(state).members);
  const known = scanned.map(knownOf);
  const ids = new Set(known.map(({ id }) => id));
  return scanned.map((members, at) => {
    const { parentId, step } = known[at] ?? { parentId: undefined, step: 0 };
    if (parentId !== undefined && !ids.has(parentId)) {
      const nearest = known.findIndex((other, index) => index > at && other.step < step);
      const standIn = scanned[nearest]?.get('checkpoint');
      if (standIn !== undefined) members.set('parent_checkpoint', standIn);
    }
    return presentState(objectOf(members), select);
  });
}

/** Adds `thread_id`, which savers do not store in the metadata. */
function withThread(metadata: JsonText = jsonText('{}'), threadId: string): JsonText {
  if (metadata === 'null') return metadata;
  return objectOf(scanObject(metadata).members.set('thread_id', toJsonText(threadId)));
}

function knownOf(members: ReadonlyMap<string, JsonText>): Known {
  const read = <T>(name: string): T | null => JSON.parse(members.get(name) ?? 'null') as T | null; // the guest's form
  const checkpoint = read<CheckpointReference>('checkpoint');
  return {
    id: checkpoint?.checkpoint_id,
    threadId: checkpoint?.thread_id,
    parentId: read<CheckpointReference>('parent_checkpoint')?.checkpoint_id,
    step: read<{ step?: number }>('metadata')?.step ?? -1,
  };
}
