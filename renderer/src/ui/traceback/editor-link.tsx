import { notifications } from '@mantine/notifications';
import { IconExternalLink } from '@tabler/icons-react';
import type { MouseEvent, ReactNode } from 'react';
import { desktop } from '../../desktop.ts';
import { absoluteLocation, editorLink, type FileLocation } from './read-traceback.ts';

interface EditorLinkProps {
  readonly location: FileLocation;
  readonly text: string;
  /** The folder of the agents, for relative files. */
  readonly folder?: string | undefined;
}

/** Opens a location in the editor: with the desktop, in a browser with the editor's own kind of link. */
export function EditorLink({ location, text, folder }: EditorLinkProps): ReactNode {
  const whole = absoluteLocation(location, folder);
  // Without the folder a relative file cannot be located.
  if (whole === undefined) return text;
  const open = async (click: MouseEvent): Promise<void> => {
    if (desktop === undefined) return;
    click.preventDefault();
    const { file, line, column } = whole;
    const reply = await desktop.editor.open({
      file,
      line,
      ...(column !== undefined && { column }),
    });
    if (!reply.ok)
      notifications.show({
        color: 'red',
        title: 'The editor was not opened',
        message: reply.error.message,
      });
  };
  return (
    <a
      href={editorLink(whole)}
      title={`Open ${whole.file}:${whole.line} in the editor`}
      onClick={(click) => void open(click)}
    >
      {text}
      <IconExternalLink size={11} aria-hidden />
    </a>
  );
}
