import { Button, Group, Modal, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ErrorView } from './error-view.tsx';

interface ConfirmProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** "Delete 12 threads" */
  readonly title: string;
  readonly text: ReactNode;
  /** A verb: "Delete 12 threads". */
  readonly action: string;
  readonly onConfirm: () => Promise<void>;
}

/** Asks before something that cannot be undone; stays open with the reason when it fails. */
export function Confirm({
  isOpen,
  onClose,
  title,
  text,
  action,
  onConfirm,
}: ConfirmProps): ReactNode {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (cause) {
      setError(cause);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} role="alertdialog">
      <Text component="div">{text}</Text>
      {error !== undefined && <ErrorView error={error} compact />}
      <Group justify="flex-end" mt="lg" gap="sm">
        <Button onClick={onClose} data-autofocus>
          Keep
        </Button>
        <Button variant="filled" color="red" loading={isBusy} onClick={() => void confirm()}>
          {action}
        </Button>
      </Group>
    </Modal>
  );
}
