import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import type { DesktopBridge } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import { toApiError } from '../../api/errors.ts';
import { isRecord, textOf } from '../../api/json-record.ts';
import { principalHeader } from '../../state/principal.ts';
import { ErrorView } from '../../ui/error-view.tsx';

/** Takes a file in without opening it: the desktop sends it, so that it may be larger than a page can hold. */
export function ImportFile({ bridge }: { bridge: DesktopBridge }): ReactNode {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const take = useMutation({
    mutationFn: async () => {
      const principal = principalHeader();
      const input = { path: '/bundles', ...(principal !== undefined && { principal }) };
      const sent = valueOf(await bridge.files.openBundle(input));
      if (sent === null) return;
      const { status, body } = sent;
      const id = isRecord(body) ? textOf(body, 'thread_id') : undefined;
      if (status !== 201 || id === undefined) {
        throw toApiError(body, new Response(null, { status }));
      }
      await cache.invalidateQueries({ queryKey: ['threads'] });
      await navigate(`/threads/${encodeURIComponent(id)}`);
    },
  });
  return (
    <>
      <Button
        leftSection={<IconDownload size={14} />}
        loading={take.isPending}
        onClick={() => take.mutate()}
      >
        Import without opening
      </Button>
      {take.isError && <ErrorView error={take.error} title="The bundle was not imported" compact />}
    </>
  );
}
