import { useQuery } from '@tanstack/react-query';
import type { Agent } from './generated/types.gen.ts';
import { isRecord, textOf } from './json-record.ts';
import { infoQuery } from './queries/health.ts';

/** Packages that the agents of a language need, and what a person types to install them. */
export interface MissingPackages {
  readonly because: string;
  readonly directory: string;
  readonly command?: string | undefined;
  /** Why no command installs them. */
  readonly needs?: string | undefined;
}

/** What the service found to be missing for the agents of a language, which could not be loaded. */
export function useMissingPackages(language: Agent['language']): readonly MissingPackages[] {
  // Looked for by the service once an agent could not be loaded, and again after each new reason.
  const { data } = useQuery({ ...infoQuery, refetchInterval: 5_000 });
  const found = data?.['missing_packages'];
  if (!Array.isArray(found)) return [];
  return found.filter(isRecord).flatMap((each) => {
    const [because, directory] = [textOf(each, 'because'), textOf(each, 'directory')];
    if (each['language'] !== language || because === undefined || directory === undefined)
      return [];
    return [{ because, directory, command: textOf(each, 'command'), needs: textOf(each, 'needs') }];
  });
}
