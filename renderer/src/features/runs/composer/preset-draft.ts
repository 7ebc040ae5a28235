import { isRecord, type JsonRecord } from '../../../api/json-record.ts';
import { noContent, type Preset, type PresetContent } from '../../../api/presets/preset.ts';
import { type Draft, isContextGiven, noContext } from './composer-draft.ts';
import { jsonIn, pretty, valueIn, writtenOf } from './written-value.ts';

/** The draft with the config and context of a preset. */
export function withPreset(draft: Draft, preset: Preset | undefined): Draft {
  return preset === undefined ? draft : { ...draft, ...filledFrom(preset) };
}

/** What choosing a preset changes in a draft; without one all of it is emptied. */
export function filledFrom(preset: Preset | undefined): Partial<Draft> {
  const { context, configurable, tags, recursionLimit } = preset?.content ?? noContent;
  return {
    presetId: preset?.id,
    context: isEmpty(context) ? noContext : writtenOf(context),
    configurableText: isEmpty(configurable) ? '' : pretty(configurable),
    tags,
    recursionLimit,
  };
}

/** What a preset of this draft has, or why there can be none yet. */
export function presetContentOf(
  draft: Draft,
): { readonly content: PresetContent } | { readonly problem: string } {
  const { configurableText, tags, recursionLimit } = draft;
  const context = isContextGiven(draft) ? objectIn(valueIn(draft.context)) : {};
  const configurable = configurableText.trim() === '' ? {} : objectIn(jsonIn(configurableText));
  if (context === undefined) return { problem: 'The context has to be a JSON object.' };
  if (configurable === undefined) return { problem: 'configurable has to be a JSON object.' };
  return { content: { context, configurable, tags, recursionLimit } };
}

function objectIn(read: ReturnType<typeof jsonIn>): JsonRecord | undefined {
  return 'value' in read && isRecord(read.value) ? read.value : undefined;
}

function isEmpty(record: JsonRecord): boolean {
  return Object.keys(record).length === 0;
}
