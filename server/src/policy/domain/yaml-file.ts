import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import type { Alias, Document, Node, YAMLMap } from 'yaml';

import type { Json } from '../../model/json.ts';
import type { PolicyFinding } from '../findings.ts';
import { nestingProblem } from './yaml-nesting.ts';
import { plainValue, YamlProblem } from './yaml-value.ts';

/** The location of something in a file. Line and column from 1. */
export interface SourceLocation {
  file: string;
  line: number;
  column: number;
}

/** Member names and list indexes that lead to a value. */
export type YamlPath = readonly PropertyKey[];

/** One YAML document, with the locations of its values. */
export interface YamlFile {
  file: string;
  value: Json;
  /** The location of a value, or of the alias for it; of the nearest existing node when it is missing. */
  locationOf(path: YamlPath): SourceLocation;
  /** The location of a member's name. */
  keyLocation(path: YamlPath): SourceLocation;
  /** The location of a text's first character, also through an alias. */
  textLocation(path: YamlPath): SourceLocation;
}

/** The result of reading a text as YAML, or all errors that prevent it. */
export type YamlReading = { yaml: YamlFile; findings: [] } | { findings: PolicyFinding[] };

/** Reads one YAML document. Never throws. */
export function readYaml(file: string, text: string): YamlReading {
  const lines = lineCounterOf(text);
  const locationAt = (offset: number): SourceLocation => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const lineOf = (line: number): string => {
    const start = lines.lineStarts[line - 1] ?? text.length;
    return text.slice(start, lines.lineStarts[line]);
  };
  const found = (offset: number, message: string): YamlReading => ({
    findings: [{ ...locationAt(offset), message }],
  });
  try {
    const nesting = nestingProblem(text);
    if (nesting) return found(nesting.offset, nesting.message);
    const document = parseDocument(text, { prettyErrors: false, lineCounter: new LineCounter() });
    const problems = [...document.errors, ...document.warnings];
    if (problems.length > 0) {
      const findings = problems.map(({ pos, code, message }) => ({
        ...locationAt(pos[0]),
        message: sentences[code] ?? `This is not YAML: ${message.split('\n', 1)[0]}.`,
      }));
      return { findings };
    }
    return { yaml: locatedYaml(document, locationAt, { file, lineOf }), findings: [] };
  } catch (error) {
    if (error instanceof YamlProblem) return found(error.offset, error.message);
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    return found(0, `This cannot be read as YAML: ${reason}.`);
  }
}

const sentences: Partial<Record<string, string>> = {
  DUPLICATE_KEY: 'A member of this name exists already: keep one of them.',
  MULTIPLE_DOCS: 'A file holds one document: put what follows into its own file.',
};

function lineCounterOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    lines.addNewLine(at + 1);
  }
  return lines;
}

function locatedYaml(
  document: Document.Parsed,
  locationAt: (offset: number) => SourceLocation,
  { file, lineOf }: { file: string; lineOf: (line: number) => string },
): YamlFile {
  const targets = aliasTargets(document);
  const value = plainValue(document.contents, targets);
  const nodeAt = (path: YamlPath) => nearestNode(document.contents, path, targets);
  return {
    file,
    value,
    locationOf: (path) => locationAt(nodeAt(path).value?.range?.[0] ?? 0),
    keyLocation: (path) => {
      const { key, value: node } = nodeAt(path);
      return locationAt((key ?? node)?.range?.[0] ?? 0);
    },
    textLocation: (path) => {
      const { value } = nodeAt(path);
      const node = isAlias(value) ? targets.get(value) : value;
      const location = locationAt(node?.range?.[0] ?? 0);
      if (!isScalar(node) || !node.type?.startsWith('BLOCK')) return location;
      const line = location.line + 1;
      return { file, line, column: lineOf(line).search(/\S|$/) + 1 };
    },
  };
}

/** The target of each alias: the last anchor of its name before it. */
function aliasTargets(document: Document.Parsed): Map<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Alias(_, alias) {
      const target = anchors.get(alias.source);
      if (target) targets.set(alias, target);
    },
    Value(_, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

interface Nearest {
  key?: Node | undefined;
  value?: Node | undefined;
}

function nearestNode(root: unknown, path: YamlPath, targets: Map<Alias, Node>): Nearest {
  let nearest: Nearest = { value: asNode(root) };
  for (const step of path) {
    const value = isAlias(nearest.value) ? targets.get(nearest.value) : nearest.value;
    const next = isSeq(value)
      ? { value: asNode(value.items[Number(step)]) }
      : isMap(value)
        ? memberNode(value, step)
        : undefined;
    if (!next?.value && !next?.key) return nearest;
    nearest = next;
  }
  return nearest;
}

function memberNode(map: YAMLMap, name: PropertyKey): Nearest | undefined {
  const pair = map.items.find(({ key }) => isScalar(key) && String(key.value) === name);
  return pair && { key: asNode(pair.key), value: asNode(pair.value) };
}

function asNode(node: unknown): Node | undefined {
  return isNode(node) ? node : undefined;
}
