import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Assistant, searchAssistants } from '../presets/assistants.ts';
import { useBrowserPresetsOf } from '../presets/browser-presets.ts';
import { useHiddenAssistants } from '../presets/hidden-assistants.ts';
import { contentOf, otherMembers, type Preset } from '../presets/preset.ts';
import { whyInBrowser } from '../presets/why-in-browser.ts';

/** The query keys of presets. */
const presetKeys = {
  all: ['presets'] as const,
  ofAgent: (agentId: string) => [...presetKeys.all, agentId] as const,
};

/** What the service keeps, or why presets are in this browser instead. */
type Kept = { readonly assistants: readonly Assistant[] } | { readonly whyInBrowser: string };

function presetsQuery(agentId: string) {
  return queryOptions({
    queryKey: presetKeys.ofAgent(agentId),
    queryFn: async ({ signal }): Promise<Kept> => {
      try {
        return { assistants: await searchAssistants(agentId, signal) };
      } catch (error) {
        return { whyInBrowser: whyInBrowser(error) };
      }
    },
    enabled: agentId !== '',
  });
}

/** The presets of an agent. */
export interface Presets {
  /** Those of the service and those in this browser, by their names. */
  readonly list: readonly Preset[];
  /** Where one that is saved goes, for the page; undefined while that is not known. */
  readonly whereKept: string | undefined;
  /** False also where it is not known. */
  readonly isService: boolean;
  readonly isPending: boolean;
  /** Of the service; those in this browser are listed all the same. */
  readonly error: Error | null;
  readonly retry: () => void;
}

/** The presets of an agent of the current service: its assistants, and what was saved in this browser. */
export function usePresets(agentId: string): Presets {
  const { data, error, isPending, refetch } = useQuery(presetsQuery(agentId));
  const inBrowser = useBrowserPresetsOf(agentId);
  const hidden = useHiddenAssistants((state) => state.ids);
  const list = useMemo(() => {
    const kept = data !== undefined && 'assistants' in data ? data.assistants : [];
    const shown = kept.filter(({ id }) => !hidden.has(id)).map(presetOf);
    return [...shown, ...inBrowser].toSorted((one, other) => one.name.localeCompare(other.name));
  }, [data, hidden, inBrowser]);
  const isService = data !== undefined && 'assistants' in data;
  const why = data !== undefined && 'whyInBrowser' in data ? data.whyInBrowser : undefined;
  return {
    list,
    whereKept: isService ? 'Kept by the service' : why && `Kept in this browser: ${why}`,
    isService,
    isPending,
    error: data === undefined ? error : null,
    retry: () => void refetch(),
  };
}

/** Reads the presets of an agent again, after a change of one. */
export function readPresetsAgain(client: QueryClient, agentId: string): Promise<void> {
  return client.invalidateQueries({ queryKey: presetKeys.ofAgent(agentId) });
}

/** An assistant that was deleted is in the list no more, also where the list cannot be read again. */
export function forgetAssistant(client: QueryClient, agentId: string, id: string): void {
  client.setQueryData<Kept>(presetKeys.ofAgent(agentId), (kept) =>
    kept !== undefined && 'assistants' in kept
      ? { assistants: kept.assistants.filter((one) => one.id !== id) }
      : kept,
  );
}

/** Clients may give one no name: then it is its id. */
export function shownName({ id, name }: Assistant): string {
  return name === '' ? id : name;
}

function presetOf(assistant: Assistant): Preset {
  const { id, name: _, config, context, ...rest } = assistant;
  return {
    id,
    name: shownName(assistant),
    keptIn: 'service',
    content: contentOf({ config, context }),
    otherConfig: otherMembers(config),
    ...rest,
  };
}
