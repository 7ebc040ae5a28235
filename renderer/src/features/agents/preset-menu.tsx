import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { usePresets } from '../../api/queries/presets.ts';
import { useQueryMembers } from '../../state/query-members.ts';
import { PresetName } from '../../ui/preset-name.tsx';

/** The presets of the agent, each of which opens the composer with its config and context. */
export function PresetMenu({ agentId }: { agentId: string }): ReactNode {
  const { list, isService } = usePresets(agentId);
  const [, write] = useQueryMembers();
  if (list.length === 0) return undefined;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="filled" px={6} aria-label="Run with a preset">
          <IconChevronDown size={14} aria-hidden />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Run with a preset</Menu.Label>
        {list.map(({ id, name, keptIn }) => (
          <Menu.Item key={id} onClick={() => write({ compose: '1', for: agentId, preset: id })}>
            <PresetName name={name} isInBrowser={isService && keptIn === 'browser'} />
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
