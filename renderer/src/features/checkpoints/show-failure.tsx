import { notifications } from '@mantine/notifications';
import { ErrorView } from '../../ui/error-view.tsx';

/** Tells of something that could not be done, until the reader closes it. */
export function showFailure(error: unknown, title: string): void {
  notifications.show({
    autoClose: false,
    classNames: { root: 'undo-failure' },
    message: <ErrorView error={error} title={title} compact />,
  });
}
