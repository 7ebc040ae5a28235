import { Button } from '@mantine/core';
import { IconCheck, IconPlus, IconUser } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import { usePrincipal, type NamedPrincipal } from '../../state/principal.ts';
import { SplitPane } from '../../ui/split-pane.tsx';
import { subjectOf } from './claims.ts';
import { PrincipalForm } from './principal-form.tsx';
import './principals.css';
import { testModeIsOff, useTestMode } from './test-mode.ts';
import { useSwitchPrincipal } from './use-switch.ts';

const blank: NamedPrincipal = { name: '', claims: { sub: 'user' } };

/** The principals stored in this browser, and what can be tried with them. */
export function Component(): ReactNode {
  const { principals, active } = usePrincipal();
  const choose = useSwitchPrincipal();
  const isTestMode = useTestMode();
  const [query, setQuery] = useSearchParams();
  const [drafts, setDrafts] = useState(0);
  const name = query.get('name');
  const chosen = principals.find((principal) => principal.name === name);
  const open = (next: string | undefined): void =>
    setQuery(next === undefined ? {} : { name: next }, { replace: true });

  return (
    <SplitPane
      name="principals"
      label="Width of the list"
      initial={320}
      min={240}
      max={480}
      narrow="stack"
      className="principals-split"
      first={
        <div className="pane principals-list">
          <header className="pane-head">
            <h1>Principals</h1>
            <span className="grow" />
            <Button
              leftSection={<IconPlus size={14} />}
              onClick={() => {
                open(undefined);
                setDrafts(drafts + 1);
              }}
            >
              New principal
            </Button>
          </header>
          <ul className="scroll">
            <li className="row">
              <PrincipalEntry
                name="anonymous"
                sub="no header is sent"
                isActive={active === null && isTestMode !== false}
              />
              {active !== null && <Button onClick={() => choose(null)}>Use</Button>}
            </li>
            {principals.map((principal) => (
              <li
                key={principal.name}
                className="row selectable"
                data-selected={principal.name === name || undefined}
              >
                <button type="button" className="grow" onClick={() => open(principal.name)}>
                  <PrincipalEntry
                    name={principal.name}
                    sub={`sub ${subjectOf(principal.claims)}`}
                    isActive={principal.name === active && isTestMode !== false}
                  />
                </button>
                {principal.name !== active && isTestMode !== false && (
                  <Button
                    aria-label={`Use ${principal.name}`}
                    onClick={() => choose(principal.name)}
                  >
                    Use
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </div>
      }
      second={
        <section className="principals-page pane" aria-label="Principal">
          {isTestMode === false && <p className="note">{testModeIsOff}</p>}
          <div className="hint stack">
            <p>
              Requests are sent as the chosen principal, in the header <code>X-Test-Principal</code>
              , so that you see what policies allow.
            </p>
            <p>
              The service strips <code>mroles</code> and <code>mgroups</code> from that header:
              roles and groups cannot be tried this way. For them use{' '}
              <code>service run --principal-file principal.json</code>, a file with <code>sub</code>{' '}
              and <code>mroles</code>, or a token of an OpenID Connect issuer. What policies allow
              with them is shown by <Link to="/access?show=permissions">Access</Link>.
            </p>
          </div>
          <PrincipalForm
            key={chosen === undefined ? `new ${drafts}` : `stored ${chosen.name}`}
            principal={chosen ?? blank}
            isNew={chosen === undefined}
            onSaved={open}
          />
        </section>
      }
    />
  );
}

interface PrincipalEntryProps {
  readonly name: string;
  readonly sub: string;
  readonly isActive: boolean;
}

function PrincipalEntry({ name, sub, isActive }: PrincipalEntryProps): ReactNode {
  const Icon = isActive ? IconCheck : IconUser;
  return (
    <span className="row grow">
      <Icon size={14} aria-hidden />
      <span className="clip">
        <strong>{name}</strong> {isActive && <span className="tag">in use</span>}
        <br />
        <span className="dim small">{sub}</span>
      </span>
    </span>
  );
}
