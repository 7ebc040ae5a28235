import { Checkbox, Input, NumberInput, SegmentedControl, Select } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Agent } from '../../api/generated/types.gen.ts';
import { languageNames } from '../../ui/language-names.ts';
import type { DebugChoice } from './debug-choice.ts';
import { providers, providersFor } from './providers.ts';

interface DebugFormProps {
  readonly agents: readonly Agent[];
  readonly choice: DebugChoice;
  /** A debugger is on: its options are shown, but cannot be changed. */
  readonly isLocked: boolean;
  /** On a command line there is always a port. */
  readonly needsPort: boolean;
  onChange(part: Partial<DebugChoice>): void;
}

/** Choice of the agent, the debugger and the port. */
export function DebugForm({
  agents,
  choice,
  isLocked,
  needsPort,
  onChange,
}: DebugFormProps): ReactNode {
  const { agent, language, provider, port, options } = choice;
  const row = providers[provider];
  const offered = providersFor(language);
  const mustName = needsPort || row.dialsOut;
  return (
    <fieldset className="stack" disabled={isLocked}>
      <legend>
        <h2>What to debug</h2>
      </legend>
      <div className="debugging-fields">
        <Select
          label="Agent"
          description={`${languageNames[language]}: all ${languageNames[language]} agents are included`}
          data={agents.map(({ agent_id: value, name: label }) => ({ value, label }))}
          value={agent}
          allowDeselect={false}
          searchable={agents.length > 8}
          disabled={isLocked}
          onChange={(value) => value !== null && onChange({ agent: value })}
        />
        <Input.Wrapper
          label="Debugger"
          labelElement="div"
          labelProps={{ id: 'debug-provider' }}
          description={row.clients}
          size="xs"
        >
          <SegmentedControl
            aria-labelledby="debug-provider"
            mt={2} // as an input below its description
            data={offered.map((value) => ({ value, label: providers[value].label }))}
            value={provider}
            disabled={isLocked}
            onChange={(value) => onChange({ provider: value })}
          />
        </Input.Wrapper>
        <NumberInput
          label={row.dialsOut ? 'Port of the IDE' : 'Port'}
          description={
            row.dialsOut
              ? 'The IDE listens on it, on this machine'
              : needsPort
                ? 'On the loopback interface of its machine'
                : 'Empty: a free one. Only this machine reaches it'
          }
          placeholder={mustName ? String(row.usualPort) : 'free'}
          min={1}
          max={65_535}
          clampBehavior="strict"
          allowDecimal={false}
          hideControls
          value={port ?? ''}
          disabled={isLocked}
          onChange={(value) => onChange({ port: value === '' ? undefined : Number(value) })}
        />
      </div>
      {row.options.map(({ key, label, description }) => (
        <Checkbox
          key={key}
          label={label}
          description={description}
          checked={options[key] === 'true'}
          disabled={isLocked}
          onChange={({ currentTarget: { checked } }) => {
            const { [key]: _, ...others } = options;
            onChange({ options: checked ? { ...others, [key]: 'true' } : others });
          }}
        />
      ))}
    </fieldset>
  );
}
