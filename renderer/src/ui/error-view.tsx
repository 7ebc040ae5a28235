import { Button } from '@mantine/core';
import { IconAlertTriangle, IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import { explainError } from './explain-error.ts';
import './error-view.css';
import { Fact, Facts } from './facts.tsx';

interface ErrorViewProps {
  readonly error: unknown;
  /** What could not be done: "The threads could not be read". */
  readonly title?: string;
  readonly onRetry?: () => void;
  /** What else helps: a link away from the page of something that does not exist. */
  readonly action?: ReactNode;
  /** One line high, for panes and forms. */
  readonly compact?: boolean;
}

/** What happened, why, and what to do; a refusal names the operation and the resource. */
export function ErrorView({ error, title, onRetry, action, compact }: ErrorViewProps): ReactNode {
  const { what, why, todo, facts, requestId, isDenied, accessHref, canRetry } = explainError(
    error,
    title,
  );
  const canAskAgain = onRetry !== undefined && canRetry;
  const hasActions =
    canAskAgain || [requestId, action, accessHref].some((one) => one !== undefined);
  const Icon = isDenied ? IconLock : IconAlertTriangle;
  return (
    <section
      className="error-view callout"
      data-tone="error"
      data-compact={compact === true || undefined}
      role="alert"
    >
      <Icon className="tone" size={18} aria-hidden />
      <div className="grow">
        <h2>{what}</h2>
        <p>{why}</p>
        {facts.length > 0 && (
          <Facts>
            {facts.map(([name, value]) => (
              <Fact key={name} name={name}>
                <span className="mono">{value}</span>
              </Fact>
            ))}
          </Facts>
        )}
        {todo !== undefined && <p className="dim">{todo}</p>}
        {hasActions && (
          <div className="error-view-actions row wrap">
            {canAskAgain && <Button onClick={onRetry}>Try again</Button>}
            {action}
            {/* A plain link: failures are also shown outside the router's pages. */}
            {accessHref !== undefined && <a href={accessHref}>Why it is denied</a>}
            {requestId !== undefined && (
              <span className="row dim">
                request <code>{requestId}</code>
                <CopyButton value={requestId} label="Copy the request id" />
              </span>
            )}
          </div>
        )}
      </div>
    </section>
  );
}
