import type { Principal } from '../model/principal.ts';

/** Decisions: "policy operations". */
export type Operation =
  | `service:thread:${'create' | 'read' | 'update' | 'delete' | 'copy' | 'search' | 'export' | 'import'}`
  | `service:run:${'create' | 'list' | 'read' | 'stream' | 'logs' | 'cancel' | 'delete'}`
  | `service:state:${'read' | 'history' | 'update'}`
  | `service:agent:${'list' | 'read' | 'search'}`
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
}

/** Decides whether a principal may do something. An error while deciding is a denial. */
export interface PolicyPort {
  /** Says true to every question: lists then need not ask row by row. */
  readonly permitsEverything?: boolean;
  isPermitted(question: PolicyQuestion): boolean | Promise<boolean>;
}
