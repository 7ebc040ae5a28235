import { notifications } from '@mantine/notifications';
import { IconExternalLink } from '@tabler/icons-react';
import type { MouseEvent, ReactNode } from 'react';
import { desktop } from '../../desktop.ts';
import { absolutePlace, editorLink, type FilePlace } from './read-traceback.ts';

interface EditorLinkProps {
  readonly place: FilePlace;
  readonly text: string;
  /** Of the agents: what a relative file is in. */
  readonly folder?: string | undefined;
}

/** Opens a place in the editor: by the desktop, in a browser by the editor's own kind of link. */
export function EditorLink({ place, text, folder }: EditorLinkProps): ReactNode {
  const whole = absolutePlace(place, folder);
  // Without the folder a relative file is nowhere.
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
