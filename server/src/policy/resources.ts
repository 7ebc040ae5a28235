import type { RunUuid, ThreadId } from '../model/ids.ts';
import { compositeRunId } from '../model/ids.ts';
import type { Resource } from './port.ts';

/** A thread as policies name it. */
export function threadResource(threadId: ThreadId): Resource {
  return { mrn: `mrn:service:thread:${threadId}` };
}

/** A run as policies name it. */
export function runResource(threadId: ThreadId, runUuid: RunUuid): Resource {
  return { mrn: `mrn:service:run:${compositeRunId(threadId, runUuid)}` };
}

/** The state of a thread as policies name it. */
export function stateResource(threadId: ThreadId): Resource {
  return { mrn: `mrn:service:state:${threadId}` };
}

/** An agent as policies name it. */
export function agentResource(agentId: string): Resource {
  return { mrn: `mrn:service:agent:${agentId}` };
}
