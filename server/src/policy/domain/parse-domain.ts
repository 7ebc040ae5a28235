import type { PolicyFinding } from '../findings.ts';
import { annotationValue } from './annotation-value.ts';
import type { Annotation, PolicyDomain, Reference, Rule } from './domain.ts';
import {
  type AnnotationDocument,
  type DomainDocument,
  domainSchema,
  type MergeStrategy,
  type RuleDocument,
} from './domain-schema.ts';
import { readRego, type ReadPolicyFile } from './rego-source.ts';
import { nameOf, schemaFindings, withoutUnknown } from './schema-findings.ts';
import { readSelector } from './selector.ts';
import { readYaml, type YamlFile, type YamlPath } from './yaml-file.ts';

/** The result of reading one file. Without a domain there is a finding. */
export interface DomainReading {
  domain?: PolicyDomain;
  findings: PolicyFinding[];
}

/** Reads one policy file. Never throws: every error is a finding. References are not resolved here. */
export function parseDomain(file: string, text: string, readFile: ReadPolicyFile): DomainReading {
  const { findings, ...read } = readYaml(file, text);
  if (!('yaml' in read)) return { findings };
  const { yaml } = read;
  const parsed = domainSchema.safeParse(yaml.value);
  if (parsed.success) return new DomainReader(yaml, parsed.data, readFile).read();
  const { issues } = parsed.error;
  const found = schemaFindings(yaml, issues);
  // If unknown members are the only errors, the rest can be read, so that its findings are reported as well.
  const rest = domainSchema.safeParse(withoutUnknown(yaml.value, issues));
  if (!rest.success) return { findings: found };
  const reading = new DomainReader(yaml, rest.data, readFile).read();
  return { ...reading, findings: [...found, ...reading.findings] };
}

/** Reads one document and collects its findings. */
class DomainReader {
  readonly #findings: PolicyFinding[] = [];
  readonly #yaml: YamlFile;
  readonly #document: DomainDocument;
  readonly #readFile: ReadPolicyFile;

  constructor(yaml: YamlFile, document: DomainDocument, readFile: ReadPolicyFile) {
    this.#yaml = yaml;
    this.#document = document;
    this.#readFile = readFile;
  }

  read(): DomainReading {
    const { metadata, spec, apiVersion } = this.#document;
    if (apiVersion === 'iamlite.manetu.io/v1alpha3' && spec.resources.length > 0) {
      const message =
        'spec.resources is known from v1alpha4 on: raise apiVersion, or remove the resources.';
      this.#findings.push({ ...this.#yaml.keyLocation(['spec', 'resources']), message });
    }
    const defaults = spec['annotation-defaults'];
    const domain: PolicyDomain = {
      name: metadata.name,
      file: this.#yaml.file,
      location: this.#yaml.locationOf(['metadata', 'name']),
      libraries: this.#rules('policy-libraries', spec['policy-libraries']),
      policies: this.#rules('policies', spec.policies),
      mappers: this.#rules(
        'mappers',
        spec.mappers.map((mapper, index) => ({
          ...mapper,
          mrn: mapper.mrn ?? `mapper ${index}`, // no MRN has a space
          dependencies: [],
        })),
      ),
      roles: this.#entries('roles', spec.roles, (at) => this.#grantor(at)),
      scopes: this.#entries('scopes', spec.scopes, (at) => this.#grantor(at)),
      resourceGroups: this.#entries('resource-groups', spec['resource-groups'], (at) => ({
        ...this.#grantor(at),
        isDefault: at.entry.default,
      })),
      groups: this.#entries('groups', spec.groups, ({ path, entry }) => ({
        mrn: entry.mrn,
        location: this.#yaml.locationOf([...path, 'mrn']),
        roles: this.#references([...path, 'roles'], entry.roles),
        annotations: this.#annotations([...path, 'annotations'], entry.annotations),
      })),
      resources: this.#entries('resources', spec.resources, ({ path, entry }) => ({
        location: this.#yaml.locationOf(path),
        selectors: this.#selectors(path, entry.selector),
        group: this.#reference([...path, 'group'], entry.group),
        annotations: this.#annotations([...path, 'annotations'], entry.annotations),
      })),
      operations: this.#entries('operations', spec.operations, ({ path, entry }) => ({
        location: this.#yaml.locationOf(path),
        selectors: this.#selectors(path, entry.selector),
        policy: this.#reference([...path, 'policy'], entry.policy),
      })),
      annotationDefaults: Array.isArray(defaults)
        ? this.#annotations(['spec', 'annotation-defaults'], defaults)
        : [],
    };
    // Mappers' selectors are compiled here only for their findings.
    spec.mappers.forEach(({ selector = [] }, index) =>
      this.#selectors(['spec', 'mappers', index], selector),
    );
    return { domain, findings: this.#findings };
  }

  #entries<Entry, Made>(
    section: string,
    entries: readonly Entry[],
    make: (at: { path: YamlPath; entry: Entry }) => Made,
  ): Made[] {
    return entries.map((entry, index) => make({ path: ['spec', section, index], entry }));
  }

  #rules(section: string, rules: readonly RuleDocument[]): Rule[] {
    return this.#entries(section, rules, ({ path, entry }) => {
      const { mrn, name, dependencies } = entry;
      const { kind } = this.#document;
      const rego = readRego({
        yaml: this.#yaml,
        path,
        rule: entry,
        kind,
        readFile: this.#readFile,
      });
      if ('finding' in rego) this.#findings.push(rego.finding);
      return {
        mrn,
        ...(name !== undefined && { name }),
        location: this.#yaml.locationOf([...path, 'mrn']),
        rego: 'text' in rego ? rego.text : undefined,
        dependencies: this.#references([...path, 'dependencies'], dependencies),
      };
    });
  }

  #grantor({
    path,
    entry,
  }: {
    path: YamlPath;
    entry: { mrn: string; policy: string; annotations: readonly AnnotationDocument[] };
  }) {
    return {
      mrn: entry.mrn,
      location: this.#yaml.locationOf([...path, 'mrn']),
      policy: this.#reference([...path, 'policy'], entry.policy),
      annotations: this.#annotations([...path, 'annotations'], entry.annotations),
    };
  }

  #reference(path: YamlPath, text: string): Reference {
    return { text, location: this.#yaml.locationOf(path) };
  }

  #references(path: YamlPath, texts: readonly string[]): Reference[] {
    return texts.map((text, index) => this.#reference([...path, index], text));
  }

  #selectors(path: YamlPath, texts: readonly string[]) {
    return texts.flatMap((text, index) => {
      const read = readSelector(text);
      if ('selector' in read) return [read.selector];
      this.#find([...path, 'selector', index], read.problem);
      return [];
    });
  }

  #annotations(path: YamlPath, annotations: readonly AnnotationDocument[]): Annotation[] {
    const names = new Set<string>();
    return annotations.flatMap(({ name, value, merge = this.#defaultMerge() }, index) => {
      if (names.has(name)) this.#find([...path, index, 'name'], 'exists already: keep one');
      names.add(name);
      const read = annotationValue(this.#document.apiVersion, value);
      if ('value' in read) return [{ name, value: read.value, ...(merge && { merge }) }];
      this.#find([...path, index, 'value'], read.problem);
      return [];
    });
  }

  #defaultMerge(): MergeStrategy | undefined {
    const defaults = this.#document.spec['annotation-defaults'];
    return Array.isArray(defaults) ? undefined : defaults.merge;
  }

  #find(path: YamlPath, problem: string): void {
    this.#findings.push({
      ...this.#yaml.locationOf(path),
      message: `${nameOf(path)} ${problem}.`,
    });
  }
}
