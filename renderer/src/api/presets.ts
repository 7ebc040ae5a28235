import { useMemo } from 'react';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { useCurrentService } from './desktop-service.ts';

/** What of a run a preset has: JSON parts are texts, as they were written. */
export interface PresetValues {
  readonly context: { readonly value: unknown; readonly isText: boolean; readonly text: string };
  readonly configurableText: string;
  readonly tags: readonly string[];
  readonly recursionLimit: number | undefined;
}

/** A named choice of config and context for the runs of an agent, kept in this browser. */
export interface Preset extends PresetValues {
  /** Whose agent it is. */
  readonly service: string;
  readonly agentId: string;
  readonly name: string;
}

interface Presets {
  readonly presets: readonly Preset[];
  /** One of the same name and agent is replaced. */
  save(preset: Preset): void;
  remove(preset: Preset): void;
}

export const usePresets = create<Presets>()(
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
    { name: 'studio-presets' },
  ),
);

/** The presets of an agent of the current service, by their names. */
export function usePresetsOf(agentId: string): readonly Preset[] {
  const service = useCurrentService();
  const presets = usePresets((state) => state.presets);
  return useMemo(
    () =>
      presets
        .filter((preset) => preset.service === service && preset.agentId === agentId)
        .toSorted((one, other) => one.name.localeCompare(other.name)),
    [presets, service, agentId],
  );
}

function isSame(one: Preset, other: Preset): boolean {
  return one.service === other.service && one.agentId === other.agentId && one.name === other.name;
}
