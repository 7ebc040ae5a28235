import { useMemo } from 'react';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { useCurrentService } from '../desktop-service.ts';
import { isRecord, type JsonRecord, numberOf, parsedText, textOf } from '../json-record.ts';
import { contentOf, type KeptContent, otherMembers, type Preset, withContent } from './preset.ts';

/** A preset in this browser: those of services that keep no assistants, or refuse them. */
export interface BrowserPreset extends KeptContent {
  /** Whose agent it is. */
  readonly service: string;
  readonly agentId: string;
  readonly name: string;
  readonly savedAt?: string;
}

type BrowserPresetKey = Pick<BrowserPreset, 'service' | 'agentId' | 'name'>;

interface BrowserPresets {
  readonly presets: readonly BrowserPreset[];
  /** One of the same name and agent is replaced. */
  save(preset: BrowserPreset): void;
  remove(preset: BrowserPresetKey): void;
}

export const useBrowserPresets = create<BrowserPresets>()(
  persist(
    (set) => ({
      presets: [],
      save: (preset) =>
        set(({ presets }) => ({
          presets: [...presets.filter((one) => !isSame(one, preset)), preset],
        })),
      remove: (preset) =>
        set(({ presets }) => ({ presets: presets.filter((one) => !isSame(one, preset)) })),
    }),
    { name: 'studio-presets', version: 1, migrate },
  ),
);

/** The presets of an agent of the current service that are in this browser. */
export function useBrowserPresetsOf(agentId: string): readonly Preset[] {
  const service = useCurrentService();
  const presets = useBrowserPresets((state) => state.presets);
  return useMemo(
    () =>
      presets
        .filter((preset) => preset.service === service && preset.agentId === agentId)
        .map(presetOf),
    [presets, service, agentId],
  );
}

/** Its id is no UUID, so no assistant has it. */
export function browserPresetId(name: string): string {
  return `browser:${name}`;
}

function presetOf({ name, savedAt, ...kept }: BrowserPreset): Preset {
  return {
    id: browserPresetId(name),
    name,
    keptIn: 'browser',
    content: contentOf(kept),
    otherConfig: otherMembers(kept.config),
    ...(savedAt !== undefined && { updatedAt: savedAt }),
  };
}

/** The preset of that agent and name, as it is now. */
export function browserPreset(key: BrowserPresetKey): BrowserPreset | undefined {
  return useBrowserPresets.getState().presets.find((one) => isSame(one, key));
}

function isSame(one: BrowserPresetKey, other: BrowserPresetKey): boolean {
  return one.service === other.service && one.agentId === other.agentId && one.name === other.name;
}

/** Version 0 had the texts and the form's value, as the composer has them. */
function migrate(stored: unknown): Pick<BrowserPresets, 'presets'> {
  const presets = isRecord(stored) ? stored['presets'] : undefined;
  return { presets: Array.isArray(presets) ? presets.filter(isRecord).flatMap(fromTexts) : [] };
}

function fromTexts(preset: JsonRecord): BrowserPreset[] {
  const service = textOf(preset, 'service');
  const agentId = textOf(preset, 'agentId');
  const name = textOf(preset, 'name');
  if (service === undefined || agentId === undefined || name === undefined) return [];
  const context = isRecord(preset['context']) ? preset['context'] : {};
  const content = {
    context: objectOf(context['isText'] === true ? context['text'] : context['value']),
    configurable: objectOf(preset['configurableText']),
    tags: contentOf({ config: { tags: preset['tags'] }, context: {} }).tags,
    recursionLimit: numberOf(preset, 'recursionLimit'),
  };
  return [{ service, agentId, name, ...withContent({ config: {}, context: {} }, content) }];
}

function objectOf(value: unknown): JsonRecord {
  const parsed = parsedText(value);
  return isRecord(parsed) ? parsed : {};
}
