import { Menu } from '@mantine/core';
import {
  IconCopy,
  IconExternalLink,
  IconFilter,
  IconGitCompare,
  IconPencil,
  IconRepeat,
  IconTrash,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { RecordedRun } from '../../../api/generated/types.gen.ts';
import { copyText } from '../../../ui/copied.ts';
import { isSettled } from '../run-queries.ts';

/** The run whose menu is open, and where. */
export interface OpenMenu {
  readonly run: RecordedRun;
  readonly x: number;
  readonly y: number;
}

interface RunRowMenuProps {
  readonly open: OpenMenu | undefined;
  readonly onClose: () => void;
  readonly onOpen: (run: RecordedRun) => void;
  readonly onSelect: (run: RecordedRun) => void;
  readonly onRerun: (run: RecordedRun) => void;
  readonly onEdit: (run: RecordedRun) => void;
  readonly onThread: (run: RecordedRun) => void;
  readonly onDelete: (run: RecordedRun) => void;
}

const size = 14;

/** One menu for all rows, at the pointer. */
export function RunRowMenu(props: RunRowMenuProps): ReactNode {
  const { open, onClose } = props;
  if (open === undefined) return null;
  const { run, x, y } = open;
  return (
    <Menu opened onClose={onClose} position="bottom-start" returnFocus width={220}>
      <Menu.Target>
        <button
          type="button"
          className="runs-menu-anchor"
          aria-label={`Actions of run ${run.run_id}`}
          style={{ left: x, top: y }}
        />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconExternalLink size={size} />} onClick={() => props.onOpen(run)}>
          Open
        </Menu.Item>
        <Menu.Item leftSection={<IconRepeat size={size} />} onClick={() => props.onRerun(run)}>
          Re-run
        </Menu.Item>
        <Menu.Item leftSection={<IconPencil size={size} />} onClick={() => props.onEdit(run)}>
          Edit and re-run
        </Menu.Item>
        <Menu.Item leftSection={<IconGitCompare size={size} />} onClick={() => props.onSelect(run)}>
          Select to compare
        </Menu.Item>
        <Menu.Item leftSection={<IconFilter size={size} />} onClick={() => props.onThread(run)}>
          Runs of this thread
        </Menu.Item>
        <Menu.Item leftSection={<IconCopy size={size} />} onClick={() => void copyText(run.run_id)}>
          Copy id
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={size} />}
          disabled={!isSettled(run.status)}
          onClick={() => props.onDelete(run)}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
