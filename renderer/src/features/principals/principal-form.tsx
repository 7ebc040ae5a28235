import { Button, Menu, TextInput } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { usePrincipal, type NamedPrincipal } from '../../state/principal.ts';
import { JsonEditor } from '../../ui/json/json-editor.tsx';
import { offerUndo } from '../../ui/undo.tsx';
import { claimsProblem, exampleClaims, strippedClaims } from './claims.ts';
import { useSwitchPrincipal } from './use-switch.ts';

interface PrincipalFormProps {
  readonly principal: NamedPrincipal;
  /** Called with the name under which it is stored; undefined when it is deleted. */
  readonly onSaved: (name: string | undefined) => void;
  readonly isNew: boolean;
}

/** One principal: its name here, and the claims that the header carries. */
export function PrincipalForm({ principal, onSaved, isNew }: PrincipalFormProps): ReactNode {
  const { principals, active, setPrincipals } = usePrincipal();
  const choose = useSwitchPrincipal();
  const [name, setName] = useState(principal.name);
  const [text, setText] = useState(() => JSON.stringify(principal.claims, null, 2));
  const claims = useMemo(() => parsed(text), [text]);
  const others = principals.filter((other) => isNew || other.name !== principal.name);
  const nameProblem =
    name.trim() === ''
      ? 'A name to choose it by'
      : others.some((other) => other.name === name.trim())
        ? 'This name is taken'
        : undefined;
  const problem = claims === undefined ? undefined : claimsProblem(claims);
  const stripped = strippedClaims(claims);
  const isValid = nameProblem === undefined && problem === undefined && claims !== undefined;

  const save = (): string => {
    // Valid claims are an object.
    const saved: NamedPrincipal = { name: name.trim(), claims: claims as NamedPrincipal['claims'] };
    const index = principals.findIndex((other) => !isNew && other.name === principal.name);
    setPrincipals(index < 0 ? [...principals, saved] : principals.toSpliced(index, 1, saved));
    if (!isNew && active === principal.name) choose(saved.name);
    onSaved(saved.name);
    return saved.name;
  };
  const remove = (): void => {
    const before = principals;
    setPrincipals(others);
    if (active === principal.name) choose(null);
    onSaved(undefined);
    offerUndo({
      label: `Principal ${principal.name} deleted`,
      commit: async () => undefined,
      undo: () => setPrincipals(before),
      failed: 'The principal could not be deleted',
    });
  };

  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) save();
      }}
    >
      <div className="principal-fields row">
        <TextInput
          label="Name"
          description="Only for you, in this browser"
          value={name}
          error={name === '' && isNew ? undefined : nameProblem}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Menu position="bottom-end">
          <Menu.Target>
            <Button>Examples</Button>
          </Menu.Target>
          <Menu.Dropdown>
            {exampleClaims.map((example) => (
              <Menu.Item
                key={example.name}
                onClick={() => {
                  setText(JSON.stringify(example.claims, null, 2));
                  if (name.trim() === '') setName(example.name);
                }}
              >
                {example.name} <code className="dim">{JSON.stringify(example.claims)}</code>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </div>
      <JsonEditor label="Claims" text={text} onChange={setText} error={problem} maxHeight={420} />
      {stripped.length > 0 && (
        <p className="note" role="status">
          The service strips {stripped.join(' and ')} from this header, so{' '}
          {stripped.length > 1 ? 'they have' : 'it has'} no effect here.
        </p>
      )}
      <footer className="row">
        {!isNew && <Button onClick={remove}>Delete</Button>}
        <span className="grow" />
        <Button type="submit" disabled={!isValid}>
          Save
        </Button>
        <Button variant="filled" disabled={!isValid} onClick={() => choose(save())}>
          Save and use
        </Button>
      </footer>
    </form>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
