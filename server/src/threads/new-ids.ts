import { v7 as uuidv7 } from 'uuid';
import type { RunUuid, ThreadId } from '../model/ids.ts';

/** Makes the id of a thread whose client gave none (decisions: "ids"). */
export function newThreadId(): ThreadId {
  return uuidv7() as ThreadId; // a uuid is a valid thread id
}

/** Makes the bare uuid of a run. */
export function newRunUuid(): RunUuid {
  return uuidv7() as RunUuid; // the brand means exactly this
}
