import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { DesktopBridge, ServiceView } from '../../../../electron/src/ipc/contract.ts';
import { valueOf } from '../../api/desktop-reply.ts';
import { ErrorView } from '../../ui/error-view.tsx';

interface ConnectFormProps {
  readonly bridge: DesktopBridge;
  readonly view: ServiceView | undefined;
}

/** A service on another machine instead. The token goes to the desktop, which keeps it; the page forgets it. */
export function ConnectForm({ bridge, view }: ConnectFormProps): ReactNode {
  const [url, setUrl] = useState('');
  const [token, setToken] = useState('');
  const connect = useMutation({
    mutationFn: async () =>
      valueOf(await bridge.service.connect(token === '' ? { url } : { url, token })),
    onSuccess: () => setToken(''),
  });
  const disconnect = useMutation({
    mutationFn: async () => valueOf(await bridge.service.disconnect()),
  });
  const isRemote = view?.state === 'remote';
  return (
    <section>
      <h2>A service elsewhere</h2>
      {isRemote ? (
        <div className="welcome-connect">
          <p>
            Connected to <code>{view.url}</code>.
          </p>
          <Button loading={disconnect.isPending} onClick={() => disconnect.mutate()}>
            Disconnect
          </Button>
        </div>
      ) : (
        <form
          className="welcome-connect"
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
            description="Sent as Authorization: Bearer. Kept in the system's safe storage."
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
