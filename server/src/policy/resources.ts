import type { RunUuid, ThreadId } from '../model/ids.ts';
import { compositeRunId } from '../model/ids.ts';
import type { Namespace, StorePlace } from '../model/store/store-place.ts';
import type { Resource } from './port.ts';

/** A thread as policies name it; `*` is all of them. */
export function threadResource(threadId: ThreadId | '*', owner?: string): Resource {
  const mrn = `mrn:service:thread:${threadId}`;
  return owner === undefined ? { mrn } : { mrn, owner };
}

/** A run as policies name it; `*` is all of its thread. */
export function runResource(threadId: ThreadId, runUuid: RunUuid | '*', owner?: string): Resource {
  const run = runUuid === '*' ? `${threadId}_*` : compositeRunId(threadId, runUuid);
  const mrn = `mrn:service:run:${run}`;
  return owner === undefined ? { mrn } : { mrn, owner };
}

/** The runs of a thread, or all runs, as policies name them. */
export function runsResource(threadId: ThreadId | undefined, owner?: string): Resource {
  const mrn = `mrn:service:run:${threadId === undefined ? '*' : `${threadId}_*`}`;
  return owner === undefined ? { mrn } : { mrn, owner };
}

/** The policies themselves, and what they decided. */
export const policyResource: Resource = { mrn: 'mrn:service:policy:*' };

/** The state of a thread as policies name it. */
export function stateResource(threadId: ThreadId): Resource {
  return { mrn: `mrn:service:state:${threadId}` };
}

/** An agent as policies name it. */
export function agentResource(agentId: string): Resource {
  return { mrn: `mrn:service:agent:${agentId}` };
}

/** A path of the agent folder's own routes as policies name it, each part percent-encoded. */
export function appResource(path: string): Resource {
  return { mrn: `mrn:service:app:${path.split('/').map(mrnPart).join('/')}` };
}

/** An item of the store as policies name it: `mrn:service:store:users.42/theme`, each part percent-encoded. */
export function storeItemResource(place: StorePlace, owner?: string): Resource {
  const mrn = `mrn:service:store:${storePath(place.namespace)}/${mrnPart(place.key)}`;
  return { mrn, ...(owner === undefined ? {} : { owner }) };
}

/** A path of the store as policies name it: `mrn:service:store:users.42`; `*` is the whole store. */
export function storeNamespaceResource(namespace: Namespace): Resource {
  return { mrn: `mrn:service:store:${namespace.length === 0 ? '*' : storePath(namespace)}` };
}

function storePath(namespace: Namespace): string {
  return namespace.map(mrnPart).join('.');
}

/** Whatever a label or a key holds, it cannot look like another resource, nor like a pattern. */
function mrnPart(text: string): string {
  return encodeURIComponent(text).replaceAll('*', '%2A');
}
