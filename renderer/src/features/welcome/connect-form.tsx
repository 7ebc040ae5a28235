import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { DesktopBridge, ServiceView } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { Warnings } from './warnings.tsx';

/** The desktop stores its token, where the system has safe storage. */
const lastUrl = 'studio-remote-url';

interface ConnectFormProps {
  readonly bridge: DesktopBridge;
  readonly view: ServiceView | undefined;
}

/** Connects to a service on another machine. The token is passed to the desktop, which stores it; the page does not. */
export function ConnectForm({ bridge, view }: ConnectFormProps): ReactNode {
  const [url, setUrl] = useState(() => localStorage.getItem(lastUrl) ?? '');
  const [token, setToken] = useState('');
  const connect = useMutation({
    mutationFn: async () =>
      valueOf(await bridge.service.connect(token === '' ? { url } : { url, token })),
    onSuccess: () => {
      setToken('');
      localStorage.setItem(lastUrl, url);
    },
  });
  const disconnect = useMutation({
    mutationFn: async () => valueOf(await bridge.service.disconnect()),
  });
  const isRemote = view?.state === 'remote';
  return (
    <section>
      <h2>{isRemote ? 'A remote service' : 'Or connect to a remote service'}</h2>
      {isRemote ? (
        <div className="welcome-connect stack">
          <p>
            Connected to <code>{view.url}</code>.
          </p>
          <Warnings of={view} />
          <Button loading={disconnect.isPending} onClick={() => disconnect.mutate()}>
            Disconnect
          </Button>
        </div>
      ) : (
        <form
          className="welcome-connect stack"
          onSubmit={(event) => {
            event.preventDefault();
            connect.mutate();
          }}
        >
          <TextInput
            label="URL"
            placeholder="https://agents.example.org"
            required
            value={url}
            onChange={(change) => setUrl(change.currentTarget.value)}
          />
          <PasswordInput
            label="Token"
            description="Stored in the system's safe storage. Empty: the one stored for this URL."
            value={token}
            onChange={(change) => setToken(change.currentTarget.value)}
          />
          <Button type="submit" loading={connect.isPending} disabled={url === ''}>
            Connect
          </Button>
        </form>
      )}
      {connect.isError && <ErrorView error={connect.error} title="No connection" compact />}
    </section>
  );
}
