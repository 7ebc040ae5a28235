import * as z from 'zod';

import { members } from './schema-findings.ts';

/** Versions of the format. */
export const apiVersions = [
  'iamlite.manetu.io/v1alpha3',
  'iamlite.manetu.io/v1alpha4',
  'iamlite.manetu.io/v1beta1',
] as const;

/** With Rego only within the file, or also in separate files. */
export const kinds = ['PolicyDomain', 'PolicyDomainReference'] as const;

/** How an annotation is merged with a weaker one of the same name (annotation-merge.ts). */
export const mergeStrategies = ['replace', 'append', 'prepend', 'deep', 'union'] as const;

export type MergeStrategy = (typeof mergeStrategies)[number];

const MAX_NAME = 1_000;

const text = z.string().max(MAX_NAME, `is longer than ${MAX_NAME} characters: shorten it`);

const mrn = text.regex(/^\S+$/, 'is no MRN: write it without spaces');

const described = { name: z.exactOptional(text), description: z.exactOptional(z.string()) };
const merge = z.enum(mergeStrategies);
const selectors = z.array(z.string()).min(1, 'is empty: write at least one selector');

/** An empty entry (`roles:`) means the same as a missing one. */
function list<Entry extends z.ZodType>(entry: Entry) {
  return z
    .array(entry)
    .nullish()
    .transform((entries) => entries ?? []);
}

const annotation = members({ name: text.min(1), value: z.json(), merge: z.exactOptional(merge) });
const annotations = { annotations: list(annotation) };
const rego = { rego: z.exactOptional(z.string()), rego_filename: z.exactOptional(text.min(1)) };
const rule = members({ mrn, ...described, ...rego, dependencies: list(mrn) });
const grantor = members({ mrn, ...described, policy: mrn, ...annotations });

const spec = members({
  'policy-libraries': list(rule),
  policies: list(rule),
  roles: list(grantor),
  scopes: list(grantor),
  'resource-groups': list(
    members({
      mrn,
      ...described,
      default: z.boolean().default(false),
      policy: mrn,
      ...annotations,
    }),
  ),
  groups: list(members({ mrn, ...described, roles: list(mrn), ...annotations })),
  resources: list(members({ ...described, selector: selectors, group: mrn, ...annotations })),
  operations: list(members({ ...described, selector: selectors, policy: mrn })),
  mappers: list(
    members({
      mrn: z.exactOptional(mrn),
      ...described,
      selector: z.exactOptional(selectors),
      ...rego,
    }),
  ),
  'annotation-defaults': z
    .union([z.array(annotation), members({ merge: z.exactOptional(merge) })])
    .default([]),
});

/** A whole file. Differences between versions and kinds are checked when it is read (parse-domain.ts). */
export const domainSchema = members({
  apiVersion: z.enum(apiVersions),
  kind: z.enum(kinds),
  metadata: members({
    name: text.regex(/^[^\s/]+$/, 'is no name of a domain: write it without spaces and slashes'),
    description: z.exactOptional(z.string()),
    labels: z.exactOptional(z.record(z.string(), z.string())),
  }),
  spec,
});

export type DomainDocument = z.infer<typeof domainSchema>;
export type RuleDocument = z.infer<typeof rule>;
export type AnnotationDocument = z.infer<typeof annotation>;
