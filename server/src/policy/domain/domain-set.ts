import type { Annotation, RegoText } from './domain.ts';
import type { Selector } from './selector.ts';

/** A policy that decisions can use, and its location. */
export interface Policy {
  /** `domain/mrn`, the evaluator's key for it. */
  key: string;
  mrn: string;
  name?: string;
  domain: string;
  rego: RegoText;
  /** Keys of the libraries that it needs, directly or indirectly, sorted. */
  libraries: readonly string[];
  /** SHA-256 in hex of its Rego and that of its libraries. */
  fingerprint: string;
}

/** A library or a mapper: Rego that is compiled, and not evaluated on its own. */
export interface Module {
  key: string;
  rego: RegoText;
}

/** A role, a scope or a resource group with its resolved policy. */
export interface Grant {
  mrn: string;
  domain: string;
  policy: Policy;
  annotations: readonly Annotation[];
}

/** A group of principals with its resolved roles. */
export interface PrincipalGroup {
  mrn: string;
  roles: readonly Grant[];
  annotations: readonly Annotation[];
}

/** Selectors of resources, in the order of the file. */
export interface ResourceRule {
  selectors: readonly Selector[];
  group: Grant;
  annotations: readonly Annotation[];
}

/** Selectors of operations, in the order of the file. */
export interface OperationRule {
  selectors: readonly Selector[];
  policy: Policy;
}

/** Rules that are looked up within one domain. */
export interface LinkedDomain {
  name: string;
  operations: readonly OperationRule[];
  resources: readonly ResourceRule[];
  defaultGroup?: Grant;
}

/**
 * All domains together, with every reference resolved. MRNs of roles, scopes and groups are unique across all domains.
 */
export interface DomainSet {
  domains: readonly LinkedDomain[];
  policies: readonly Policy[];
  libraries: readonly Module[];
  mappers: readonly Module[];
  roles: ReadonlyMap<string, Grant>;
  scopes: ReadonlyMap<string, Grant>;
  resourceGroups: ReadonlyMap<string, Grant>;
  groups: ReadonlyMap<string, PrincipalGroup>;
  /** In the order of domains. */
  annotationDefaults: readonly Annotation[];
}
