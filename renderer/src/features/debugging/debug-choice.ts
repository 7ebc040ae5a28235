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

type OtherChoices = Pick<DebugChoice, 'port' | 'options'> & {
  readonly provider: Provider | undefined;
};

/** The user's choice: the agent is in the URL, and the agent's language determines the other options. */
export function useDebugChoice(
  agents: readonly Agent[],
): [DebugChoice, (part: Partial<DebugChoice>) => void] {
  const [address, setAddress] = useSearchParams();
  const [others, setOthers] = useState<OtherChoices>({
    provider: undefined,
    port: undefined,
    options: {},
  });
  const named = address.get('agent');
  const agent = agents.find(({ agent_id: id }) => id === named) ?? agents[0];
  const language = agent?.language ?? 'python';
  const [usual] = providersFor(language);
  const isFitting =
    others.provider !== undefined && providers[others.provider].language === language;
  const provider = (isFitting ? others.provider : usual) ?? 'debugpy';
  const known = providers[provider].options.map(({ key }) => key);
  const choice: DebugChoice = {
    agent: agent?.agent_id ?? null,
    language,
    provider,
    port: others.port,
    options: Object.fromEntries(
      Object.entries(others.options).filter(([key]) => known.includes(key)),
    ),
  };
  return [
    choice,
    ({ agent: chosen, ...part }) => {
      if (typeof chosen === 'string') setAddress({ agent: chosen }, { replace: true });
      const { provider = others.provider, options = others.options } = part;
      setOthers({ provider, options, port: 'port' in part ? part.port : others.port });
    },
  ];
}
