import type { RunUuid, ThreadId } from '../model/ids.ts';
import { compositeRunId } from '../model/ids.ts';
import type { Namespace, ItemKey } from '../model/store/item-key.ts';
import type { Resource } from './port.ts';

/** A thread's policy resource; `*` means all threads. */
export function threadResource(threadId: ThreadId | '*', owner?: string): Resource {
  const mrn = `mrn:service:thread:${threadId}`;
  return owner === undefined ? { mrn } : { mrn, owner };
}

/** A run's policy resource; `*` means all runs of its thread. */
export function runResource(threadId: ThreadId, runUuid: RunUuid | '*', owner?: string): Resource {
  const run = runUuid === '*' ? `${threadId}_*` : compositeRunId(threadId, runUuid);
  const mrn = `mrn:service:run:${run}`;
  return owner === undefined ? { mrn } : { mrn, owner };
}

/** The policy resource of all runs of a thread, or of all runs. */
export function runsResource(threadId: ThreadId | undefined, owner?: string): Resource {
  const mrn = `mrn:service:run:${threadId === undefined ? '*' : `${threadId}_*`}`;
  return owner === undefined ? { mrn } : { mrn, owner };
}

/** The policies themselves, and their decisions. */
export const policyResource: Resource = { mrn: 'mrn:service:policy:*' };

/** The policy resource of a thread's state. */
export function stateResource(threadId: ThreadId): Resource {
  return { mrn: `mrn:service:state:${threadId}` };
}

/** An agent's policy resource. */
export function agentResource(agentId: string): Resource {
  return { mrn: `mrn:service:agent:${agentId}` };
}

/** The policy resource of an assistant that a user made; `*` means all of them. */
export function assistantResource(assistantId: string, owner?: string): Resource {
  const part = assistantId === '*' ? '*' : mrnPart(assistantId);
  const mrn = `mrn:service:assistant:${part}`;
  return owner === undefined ? { mrn } : { mrn, owner };
}

/** The policy resource of a cron; `*` means all of them. */
export function cronResource(cronId: string, owner?: string): Resource {
  const mrn = `mrn:service:cron:${cronId === '*' ? '*' : mrnPart(cronId)}`;
  return owner === undefined ? { mrn } : { mrn, owner };
}

/** The policy resource of a path of the agent folder's own routes, each part percent-encoded. */
export function appResource(path: string): Resource {
  return { mrn: `mrn:service:app:${path.split('/').map(mrnPart).join('/')}` };
}

/** The policy resource of a store item: `mrn:service:store:users.42/theme`, each part percent-encoded. */
export function storeItemResource(itemKey: ItemKey, owner?: string): Resource {
  const mrn = `mrn:service:store:${storePath(itemKey.namespace)}/${mrnPart(itemKey.key)}`;
  return { mrn, ...(owner === undefined ? {} : { owner }) };
}

/** The policy resource of a store path: `mrn:service:store:users.42`; `*` is the whole store. */
export function storeNamespaceResource(namespace: Namespace): Resource {
  return { mrn: `mrn:service:store:${namespace.length === 0 ? '*' : storePath(namespace)}` };
}

function storePath(namespace: Namespace): string {
  return namespace.map(mrnPart).join('.');
}

/** Encoded so that no label or key can look like another resource or a pattern. */
function mrnPart(text: string): string {
  return encodeURIComponent(text).replaceAll('*', '%2A');
}
