/*
 * Policies: whether a principal may do an operation on a resource. `domain/` loads policy domains, `rego/` evaluates
 * them in threads of their own, `log/` records decisions.
 */
import type { Principal } from '../model/principal.ts';
import type { MetadataFilter } from './metadata-filter.ts';

/** Decisions: "policy operations". */
export type Operation =
  | `service:thread:${'create' | 'read' | 'update' | 'delete' | 'copy' | 'search'}`
  | `service:bundle:${'export' | 'import'}`
  | `service:run:${'create' | 'list' | 'search' | 'read' | 'stream' | 'logs' | 'cancel' | 'delete'}`
  | `service:state:${'read' | 'history' | 'update'}`
  | `service:agent:${'list' | 'read' | 'search'}`
  | `service:assistant:${'create' | 'read' | 'update' | 'delete' | 'search'}`
  | `service:cron:${'create' | 'read' | 'update' | 'delete' | 'search'}`
  | 'service:app:call'
  | `service:policy:${'read' | 'explain'}`
  | `service:store:${'list' | 'put' | 'get' | 'delete' | 'search'}`;

/** The object of an operation: `mrn:service:thread:<id>` and so on. */
export interface Resource {
  mrn: string;
  /** The `sub` that created it, where known. */
  owner?: string;
}

export interface PolicyQuestion {
  principal: Principal;
  operation: Operation;
  resource: Resource;
  /** The operation's parameters, with LangGraph Server's names: `thread_id`, `metadata`, `namespace`, … */
  given?: Readonly<Record<string, unknown>>;
  /** Circumstances of the request that policies may look at: `method`, `path`, `request_id`, … Never its input. */
  context?: Readonly<Record<string, unknown>>;
}

/** Changes and restrictions that accompany a permission. */
export interface Permission {
  /** Parameters that replace those of the operation. */
  given?: Readonly<Record<string, unknown>>;
  /** Restricts the operation to existing objects whose metadata matches, as if no others existed. */
  filter?: MetadataFilter;
}

/** A decision with its reason. */
export interface Ruling {
  isPermitted: boolean;
  /** For a denial: members of the error's details. */
  why?: Readonly<Record<string, unknown>>;
}

/** Decides whether a principal may do something. An error while deciding is a denial. */
export interface PolicyPort {
  /** Permits everything: lists then need no check for each row. */
  readonly permitsEverything?: boolean;
  /** Its decisions depend on a thread's owner, so the owner is read before a question about a thread. */
  readonly looksAtOwners?: boolean;
  isPermitted(question: PolicyQuestion): boolean | Promise<boolean>;
  /** Used instead for an operation as a whole, where a denial may give its reason: in test mode. */
  rule?(question: PolicyQuestion): Promise<Ruling>;
  /**
   * Used instead of both for an operation as a whole, by a domain that may also change or restrict it; rejects with the
   * ServiceError to send. Rows of lists are checked with `isPermitted`. Absent: permissions have no changes or
   * restrictions.
   */
  permit?(question: PolicyQuestion): Promise<Permission>;
}
