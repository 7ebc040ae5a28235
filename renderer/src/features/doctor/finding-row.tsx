import { Button } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import type { Finding } from '../../../../electron/src/ipc/contract.ts';
import { desktop } from '../../desktop.ts';
import { CopyButton } from '../../ui/copy-button.tsx';

const appearances = {
  ok: { Icon: IconCircleCheck, word: 'ok' },
  warn: { Icon: IconAlertTriangle, word: 'warning' },
  fail: { Icon: IconCircleX, word: 'failing' },
  absent: { Icon: IconCircleDashed, word: 'not used' },
} as const;

/** One finding: its state, and what to do when something is wrong. */
export function FindingRow({ finding }: { finding: Finding }): ReactNode {
  const { title, state, detail, fix, action } = finding;
  const { Icon, word } = appearances[state];
  return (
    <li data-state={state}>
      <span className="doctor-state">
        <Icon size={16} aria-hidden /> {word}
      </span>
      <strong>{title}</strong>
      <div>
        <p>{detail}</p>
        {fix !== '' && (
          <p className="doctor-fix">
            {fix} <CopyButton value={fix} label={`Copy the fix for ${title}`} />
          </p>
        )}
        {action === 'build' && <BuildImages />}
      </div>
    </li>
  );
}

/** The page that follows the build shows its result. */
function BuildImages(): ReactNode {
  const navigate = useNavigate();
  const build = (): void => {
    void desktop?.service.install();
    void navigate('/welcome');
  };
  return (
    <Button size="compact-sm" onClick={build}>
      Build images
    </Button>
  );
}
