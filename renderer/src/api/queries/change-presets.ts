import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { currentService } from '../desktop-service.ts';
import {
  changeAssistant,
  createAssistant,
  deleteAssistant,
  searchAssistants,
} from '../presets/assistants.ts';
import { browserPreset, browserPresetId, useBrowserPresets } from '../presets/browser-presets.ts';
import {
  hideAssistant,
  unhideAssistant,
  useHiddenAssistants,
} from '../presets/hidden-assistants.ts';
import { type Preset, type PresetContent, withContent } from '../presets/preset.ts';
import { whyInBrowser } from '../presets/why-in-browser.ts';
import { fetchAsCurrentPrincipal } from '../service-fetch.ts';
import { forgetAssistant, readPresetsAgain, shownName } from './presets.ts';

/** What is saved, and in place of which preset of the same name, where there are several. */
export interface PresetSave {
  readonly name: string;
  readonly content: PresetContent;
  readonly instead?: string | undefined;
}

/** Where a preset was saved; `why` it is not in the service. */
interface SavedPreset {
  readonly id: string;
  readonly why?: string;
}

/** Saves a preset of an agent. One of the same name is replaced, as its next version. */
export function useSavePreset(agentId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (save: PresetSave): Promise<SavedPreset> => {
      const browser = useBrowserPresets.getState();
      const key = { service: currentService(), agentId, name: save.name };
      const before = browserPreset(key) ?? { config: {}, context: {} };
      try {
        const id = await saveInService(agentId, save);
        browser.remove(key);
        return { id };
      } catch (error) {
        const why = whyInBrowser(error);
        const content = withContent(before, save.content);
        browser.save({ ...key, ...content, savedAt: new Date().toISOString() });
        return { id: browserPresetId(save.name), why };
      }
    },
    // The list has it before the form closes.
    onSuccess: () => readPresetsAgain(client, agentId),
  });
}

/** Read anew: another client may have changed what the studio does not show. */
async function saveInService(
  agentId: string,
  { name, content, instead }: PresetSave,
): Promise<string> {
  const { ids: hidden } = useHiddenAssistants.getState();
  const named = (await searchAssistants(agentId)).filter(
    (one) => shownName(one).trim() === name && !hidden.has(one.id),
  );
  const before = named.find(({ id }) => id === instead) ?? named[0];
  if (before === undefined) {
    return createAssistant(agentId, { name, ...withContent({ config: {}, context: {} }, content) });
  }
  return changeAssistant(before.id, withContent(before, content));
}

/** The parts of a deletion that can be undone: `undo` or, later, `commit`. */
interface PresetRemoval {
  undo(): void;
  commit(): Promise<void>;
}

/** Removes a preset of an agent from the list, at once. */
export function useRemovePreset(agentId: string): (preset: Preset) => PresetRemoval {
  const client = useQueryClient();
  return (preset) =>
    preset.keptIn === 'service'
      ? removedFromService(client, agentId, preset)
      : removedFromBrowser(agentId, preset);
}

function removedFromService(client: QueryClient, agentId: string, { id }: Preset): PresetRemoval {
  const asNow = fetchAsCurrentPrincipal();
  hideAssistant(id);
  return {
    undo: () => unhideAssistant(id),
    commit: async () => {
      await deleteAssistant(id, asNow);
      forgetAssistant(client, agentId, id);
      unhideAssistant(id);
      await readPresetsAgain(client, agentId);
    },
  };
}

function removedFromBrowser(agentId: string, { name }: Preset): PresetRemoval {
  const { save, remove } = useBrowserPresets.getState();
  const key = { service: currentService(), agentId, name };
  const removed = browserPreset(key);
  remove(key);
  return {
    undo: () => {
      // One that was saved under the name meanwhile stays.
      if (removed !== undefined && browserPreset(key) === undefined) save(removed);
    },
    commit: async () => undefined,
  };
}
