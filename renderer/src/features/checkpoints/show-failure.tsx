import { notifications } from '@mantine/notifications';
import { ErrorView } from '../../ui/error-view.tsx';

/** Shows an error until the user closes it. */
export function showFailure(error: unknown, title: string): void {
  notifications.show({
    autoClose: false,
    classNames: { root: 'undo-failure' },
    message: <ErrorView error={error} title={title} compact />,
  });
}
