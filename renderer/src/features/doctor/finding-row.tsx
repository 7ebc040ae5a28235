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
import { StateWord } from '../../ui/status-badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';

const appearances = {
  ok: { icon: IconCircleCheck, word: 'ok', tone: 'completed' },
  warn: { icon: IconAlertTriangle, word: 'warning', tone: 'interrupted' },
  fail: { icon: IconCircleX, word: 'failing', tone: 'error' },
  absent: { icon: IconCircleDashed, word: 'not used', tone: 'cancelled' },
} as const;

/** One finding: its state, and what to do when something is wrong. */
export function FindingRow({ finding }: { finding: Finding }): ReactNode {
  const { title, state, detail, fix, action } = finding;
  const { word, ...appearance } = appearances[state];
  return (
    <li data-state={state}>
      <StateWord {...appearance}>{word}</StateWord>
      <strong>{title}</strong>
      <div>
        <p>{detail}</p>
        {fix !== '' && (
          <p className="row dim">
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
