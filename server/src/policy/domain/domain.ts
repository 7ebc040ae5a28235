import type { Json } from '../../model/json.ts';
import type { MergeStrategy } from './domain-schema.ts';
import type { Selector } from './selector.ts';
import type { SourceLocation } from './yaml-file.ts';

/** One annotation with its decoded value. */
export interface Annotation {
  name: string;
  value: Json;
  /** Absent: that of the weaker annotation; `replace` where neither has one. */
  merge?: MergeStrategy;
}

/** The Rego text, and the location of its first character. */
export interface RegoText extends SourceLocation {
  source: string;
}

/** The MRN of an entry in the same domain, or `domain/mrn`, and the location of the reference. */
export interface Reference {
  text: string;
  location: SourceLocation;
}

/** A policy, a library or a mapper. */
export interface Rule {
  mrn: string;
  name?: string;
  location: SourceLocation;
  /** Undefined: it could not be read, which is reported as a finding. */
  rego: RegoText | undefined;
  dependencies: readonly Reference[];
}

/** A role, a scope or a resource group: an entry with a policy and annotations. */
export interface Grantor {
  mrn: string;
  location: SourceLocation;
  policy: Reference;
  annotations: readonly Annotation[];
}

export interface ResourceGroup extends Grantor {
  isDefault: boolean;
}

/** A group of principals, which combines roles. */
export interface Group {
  mrn: string;
  location: SourceLocation;
  roles: readonly Reference[];
  annotations: readonly Annotation[];
}

/** Selects the resources of a group. */
export interface ResourceEntry {
  location: SourceLocation;
  selectors: readonly Selector[];
  group: Reference;
  annotations: readonly Annotation[];
}

/** Selects the operations that a policy decides about. */
export interface OperationEntry {
  location: SourceLocation;
  selectors: readonly Selector[];
  policy: Reference;
}

/** One policy file, with unresolved references. */
export interface PolicyDomain {
  name: string;
  file: string;
  location: SourceLocation;
  libraries: readonly Rule[];
  policies: readonly Rule[];
  mappers: readonly Rule[];
  roles: readonly Grantor[];
  scopes: readonly Grantor[];
  resourceGroups: readonly ResourceGroup[];
  groups: readonly Group[];
  resources: readonly ResourceEntry[];
  operations: readonly OperationEntry[];
  /** Annotations of every principal, weaker than all others. */
  annotationDefaults: readonly Annotation[];
}
