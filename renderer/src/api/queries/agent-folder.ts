import { useQuery } from '@tanstack/react-query';
import { getInfoOptions } from '../generated/@tanstack/react-query.gen.ts';
import { folderOf } from '../service-info.ts';

/** The path of the folder that the service serves, once it is known. */
export function useAgentFolder(): string | undefined {
  return folderOf(useQuery({ ...getInfoOptions(), staleTime: 60_000 }).data)?.path;
}
