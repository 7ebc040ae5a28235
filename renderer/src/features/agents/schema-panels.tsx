import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { getAgentSchemasOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
import { ErrorView } from '../../ui/error-view.tsx';
import { JsonView } from '../../ui/json/json-view.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';

const kinds = [
  { value: 'input_schema', label: 'Input' },
  { value: 'output_schema', label: 'Output' },
  { value: 'state_schema', label: 'State' },
  { value: 'config_schema', label: 'Config' },
] as const;

/** The schemas of an agent's input, output, state and configuration. */
export function SchemaPanels({ agentId }: { agentId: string }): ReactNode {
  const [kind, setKind] = useState<(typeof kinds)[number]['value']>('input_schema');
  const { data, error, refetch } = useQuery({
    ...getAgentSchemasOptions({ path: { name: agentId } }),
    staleTime: 60_000,
  });
  if (error !== null)
    return (
      <ErrorView
        error={error}
        title="The schemas could not be read"
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <PageSkeleton label="Reading the schemas" />;
  const schema = data[kind];
  return (
    <div className="agent-schemas pane">
      <SegmentedControl
        aria-label="Which schema"
        value={kind}
        data={[...kinds]}
        onChange={(value) =>
          setKind(kinds.find((each) => each.value === value)?.value ?? 'input_schema')
        }
      />
      <SchemaSummary schema={schema} />
      {schema !== undefined && (
        <div className="agent-schema">
          <JsonView
            key={kind}
            label={kinds.find(({ value }) => value === kind)?.label ?? 'Schema'}
            value={schema}
          />
        </div>
      )}
    </div>
  );
}

function SchemaSummary({
  schema,
}: {
  schema: Readonly<Record<string, unknown>> | undefined;
}): ReactNode {
  const properties = schema?.['properties'];
  if (typeof properties !== 'object' || properties === null)
    return (
      <p className="hint">
        {schema === undefined ? 'The agent has none.' : 'Any object: the agent declares no keys.'}
      </p>
    );
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  return (
    <ul className="agent-keys row wrap small">
      {Object.entries(properties).map(([key, value]) => (
        <li key={key}>
          <code>{key}</code> <span className="dim">{typeName(value)}</span>
          {required.includes(key) && <span className="is-warning"> required</span>}
        </li>
      ))}
    </ul>
  );
}

function typeName(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'any';
  if ('items' in schema) return `list of ${typeName(schema.items)}`;
  if ('$ref' in schema) return String(schema.$ref).split('/').at(-1) ?? 'object';
  if ('anyOf' in schema && Array.isArray(schema.anyOf))
    return schema.anyOf.map(typeName).join(' or ');
  return 'type' in schema ? String(schema.type) : 'any';
}
