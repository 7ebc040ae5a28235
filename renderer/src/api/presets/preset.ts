import { hashKey } from '@tanstack/react-query';
import { isRecord, type JsonRecord, numberOf } from '../json-record.ts';

/** What of a run a preset has, as far as the composer shows it. Objects without members: nothing. */
export interface PresetContent {
  readonly context: JsonRecord;
  readonly configurable: JsonRecord;
  readonly tags: readonly string[];
  readonly recursionLimit: number | undefined;
}

/** A named choice of config and context for the runs of an agent. */
export interface Preset {
  readonly id: string;
  readonly name: string;
  readonly keptIn: 'service' | 'browser';
  readonly content: PresetContent;
  /** Members of its config that the composer does not show: clients of LangGraph run them, the studio does not. */
  readonly otherConfig: readonly string[];
  readonly description?: string;
  readonly version?: number;
  readonly updatedAt?: string;
}

/** A config and a context as they are kept: other clients have written them, so every member is checked. */
export interface KeptContent {
  readonly config: JsonRecord;
  readonly context: JsonRecord;
}

const shownMembers = ['configurable', 'tags', 'recursion_limit'];

/** What the composer shows of a config and a context. */
export function contentOf({ config, context }: KeptContent): PresetContent {
  const { configurable, tags } = config;
  return {
    context,
    configurable: isRecord(configurable) ? configurable : {},
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    recursionLimit: numberOf(config, 'recursion_limit'),
  };
}

/** The members of a config that are no part of the content. */
export function otherMembers(config: JsonRecord): readonly string[] {
  return Object.keys(config).filter((name) => !shownMembers.includes(name));
}

/**
 * What is kept, with this content. Members that the composer does not show stay, and so do those whose shown form is
 * not changed: `tags` may be more than texts.
 */
export function withContent(kept: KeptContent, content: PresetContent): KeptContent {
  const before = contentOf(kept);
  const { configurable, tags, recursionLimit, context } = content;
  const changed: Record<string, unknown> = { ...kept.config };
  const set = (member: string, value: unknown, isSame: boolean, isGiven: boolean): void => {
    if (isSame) return;
    if (isGiven) changed[member] = value;
    else delete changed[member];
  };
  set(
    'configurable',
    configurable,
    isEqual(configurable, before.configurable),
    hasMembers(configurable),
  );
  set('tags', tags, isEqual(tags, before.tags), tags.length > 0);
  const isSameLimit = recursionLimit === before.recursionLimit;
  set('recursion_limit', recursionLimit, isSameLimit, recursionLimit !== undefined);
  return { config: changed, context };
}

export const noContent: PresetContent = {
  context: {},
  configurable: {},
  tags: [],
  recursionLimit: undefined,
};

/** Whether a run has the same from both, whatever the order of members. */
export function isSameContent(one: PresetContent, other: PresetContent): boolean {
  return isEqual({ ...one }, { ...other });
}

/** The members that a preset sets, by their paths. */
export function settingsOf(content: PresetContent): readonly string[] {
  const { context, configurable, tags, recursionLimit } = content;
  return [
    ...Object.keys(context).map((name) => `context.${name}`),
    ...Object.keys(configurable).map((name) => `configurable.${name}`),
    ...(tags.length > 0 ? ['tags'] : []),
    ...(recursionLimit === undefined ? [] : ['recursion_limit']),
  ];
}

function isEqual(one: unknown, other: unknown): boolean {
  return hashKey([one]) === hashKey([other]);
}

function hasMembers(record: JsonRecord): boolean {
  return Object.keys(record).length > 0;
}
