import type { Principal } from '../model/principal.ts';
import type { MetadataFilter } from './metadata-filter.ts';

/** Decisions: "policy operations". */
export type Operation =
  | `service:thread:${'create' | 'read' | 'update' | 'delete' | 'copy' | 'search'}`
  | `service:bundle:${'export' | 'import'}`
  | `service:run:${'create' | 'list' | 'read' | 'stream' | 'logs' | 'cancel' | 'delete'}`
  | `service:state:${'read' | 'history' | 'update'}`
  | `service:agent:${'list' | 'read' | 'search'}`
  | 'service:app:call'
  | `service:policy:${'read' | 'explain'}`
  | `service:store:${'list' | 'put' | 'get' | 'delete' | 'search'}`;

/** What an operation is done to: `mrn:service:thread:<id>` and so on. */
export interface Resource {
  mrn: string;
  /** The `sub` that created it, where known. */
  owner?: string;
}

export interface PolicyQuestion {
  principal: Principal;
  operation: Operation;
  resource: Resource;
  /** What the operation is given, in the words of LangGraph Server: `thread_id`, `metadata`, `namespace`, … */
  given?: Readonly<Record<string, unknown>>;
  /** Circumstances of the request that policies may look at: `method`, `path`, `request_id`, … Never its input. */
  context?: Readonly<Record<string, unknown>>;
}

/** What comes with a yes. */
export interface Permission {
  /** What the operation is to be given instead. */
  given?: Readonly<Record<string, unknown>>;
  /** Only existing things whose metadata it holds for, as if there were no others. */
  filter?: MetadataFilter;
}

/** An answer that says why. */
export interface Ruling {
  isPermitted: boolean;
  /** Of a denial: members for the details of the error. */
  why?: Readonly<Record<string, unknown>>;
}

/** Decides whether a principal may do something. An error while deciding is a denial. */
export interface PolicyPort {
  /** Says true to every question: lists then need not ask row by row. */
  readonly permitsEverything?: boolean;
  /** Its answers depend on who owns a thread, so that is found out before it is asked about one. */
  readonly looksAtOwners?: boolean;
  isPermitted(question: PolicyQuestion): boolean | Promise<boolean>;
  /** Asked instead about an operation as a whole, where a denial may say why: in test mode. */
  rule?(question: PolicyQuestion): Promise<Ruling>;
  /**
   * Asked instead of both about an operation as a whole, by a domain that says more than yes; rejects with the ServiceError to
   * answer. Rows of lists are asked with `isPermitted`. Absent: yes comes with nothing.
   */
  permit?(question: PolicyQuestion): Promise<Permission>;
}
