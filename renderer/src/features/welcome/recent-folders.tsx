import { ActionIcon } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DesktopBridge } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { tip } from '../../ui/tip.tsx';

interface RecentFoldersProps {
  readonly bridge: DesktopBridge;
  readonly isBusy: boolean;
  readonly onOpen: (path: string) => void;
}

const queryKey = ['desktop', 'recent-folders'];

/** The recent folders, the newest first; one that no longer exists can only be forgotten. */
export function RecentFolders({ bridge, isBusy, onOpen }: RecentFoldersProps): ReactNode {
  const cache = useQueryClient();
  const { data = [] } = useQuery({
    queryKey,
    queryFn: async () => valueOf(await bridge.folders.recent()),
    staleTime: 0,
  });
  const forget = useMutation({
    mutationFn: async (path: string) => valueOf(await bridge.folders.forget(path)),
    onSuccess: (remaining) => cache.setQueryData(queryKey, remaining),
  });
  if (data.length === 0) return null;
  return (
    <section>
      <h2>Recent folders</h2>
      <ul className="welcome-list card divided">
        {data.map(({ path, name, openedAt, exists }) => (
          <li className="row" key={path}>
            <button
              type="button"
              className="row grow"
              disabled={isBusy || !exists}
              onClick={() => onOpen(path)}
            >
              <strong>{name}</strong>
              <span className="clip dim mono" title={path}>
                {exists ? path : `${path} no longer exists`}
              </span>
            </button>
            <TimeAgo time={new Date(openedAt).toISOString()} />
            <ActionIcon
              {...tip('Forget this folder; nothing in it changes')}
              aria-label={`Forget ${name}`}
              onClick={() => forget.mutate(path)}
            >
              <IconX size={14} />
            </ActionIcon>
          </li>
        ))}
      </ul>
    </section>
  );
}
