import { Notification } from 'electron';
import type { NotificationText } from './run-notices.ts';

/** One that nothing refers to is collected, and its click is lost. */
const shown = new Set<Notification>();

/** Shows a notification where the system has them. */
export function showNotification(text: NotificationText, onClick: () => void): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification(text);
  shown.add(notification);
  notification.on('click', () => {
    shown.delete(notification);
    onClick();
  });
  notification.on('close', () => shown.delete(notification));
  notification.show();
}
