import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Agent } from '../../api/generated/types.gen.ts';
import { type Language, type Provider, providers, providersFor } from './providers.ts';

/** What is to be debugged, and how. */
export interface DebugChoice {
  /** Null while there is none. */
  readonly agent: string | null;
  readonly language: Language;
  readonly provider: Provider;
  readonly port: number | undefined;
  readonly options: Readonly<Record<string, string>>;
}

type Kept = Pick<DebugChoice, 'port' | 'options'> & { readonly provider: Provider | undefined };

/** The reader's choice: the agent is in the address, and the agent's language decides what else there is. */
export function useDebugChoice(
  agents: readonly Agent[],
): [DebugChoice, (part: Partial<DebugChoice>) => void] {
  const [address, setAddress] = useSearchParams();
  const [kept, setKept] = useState<Kept>({ provider: undefined, port: undefined, options: {} });
  const named = address.get('agent');
  const agent = agents.find(({ agent_id: id }) => id === named) ?? agents[0];
  const language = agent?.language ?? 'python';
  const [usual] = providersFor(language);
  const isFitting = kept.provider !== undefined && providers[kept.provider].language === language;
  const provider = (isFitting ? kept.provider : usual) ?? 'debugpy';
  const known = providers[provider].options.map(({ key }) => key);
  const choice: DebugChoice = {
    agent: agent?.agent_id ?? null,
    language,
    provider,
    port: kept.port,
    options: Object.fromEntries(
      Object.entries(kept.options).filter(([key]) => known.includes(key)),
    ),
  };
  return [
    choice,
    ({ agent: chosen, ...part }) => {
      if (typeof chosen === 'string') setAddress({ agent: chosen }, { replace: true });
      const { provider = kept.provider, options = kept.options } = part;
      setKept({ provider, options, port: 'port' in part ? part.port : kept.port });
    },
  ];
}
