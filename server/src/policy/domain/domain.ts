import type { Json } from '../../model/json.ts';
import type { MergeStrategy } from './domain-schema.ts';
import type { Selector } from './selector.ts';
import type { Place } from './yaml-file.ts';

/** One annotation, its value decoded. */
export interface Annotation {
  name: string;
  value: Json;
  /** Absent: the weaker one's; `replace` where neither says. */
  merge?: MergeStrategy;
}

/** Rego as it is written, and where its first character is. */
export interface RegoText extends Place {
  source: string;
}

/** The MRN of something in the same domain, or `domain/mrn`, and where that is written. */
export interface Reference {
  text: string;
  place: Place;
}

/** A policy, a library or a mapper. */
export interface Rule {
  mrn: string;
  name?: string;
  place: Place;
  /** Undefined: it could not be read, which is a finding. */
  rego: RegoText | undefined;
  dependencies: readonly Reference[];
}

/** A role, a scope or a resource group: what has a policy and annotations. */
export interface Grantor {
  mrn: string;
  place: Place;
  policy: Reference;
  annotations: readonly Annotation[];
}

export interface ResourceGroup extends Grantor {
  isDefault: boolean;
}

/** A group of principals: roles together. */
export interface Group {
  mrn: string;
  place: Place;
  roles: readonly Reference[];
  annotations: readonly Annotation[];
}

/** Which resources are of a group. */
export interface ResourceEntry {
  place: Place;
  selectors: readonly Selector[];
  group: Reference;
  annotations: readonly Annotation[];
}

/** Which operations a policy decides about. */
export interface OperationEntry {
  place: Place;
  selectors: readonly Selector[];
  policy: Reference;
}

/** One file of policies as it is written: references are not looked up yet. */
export interface PolicyDomain {
  name: string;
  file: string;
  place: Place;
  libraries: readonly Rule[];
  policies: readonly Rule[];
  mappers: readonly Rule[];
  roles: readonly Grantor[];
  scopes: readonly Grantor[];
  resourceGroups: readonly ResourceGroup[];
  groups: readonly Group[];
  resources: readonly ResourceEntry[];
  operations: readonly OperationEntry[];
  /** Annotations of every principal, weaker than any other. */
  annotationDefaults: readonly Annotation[];
}
