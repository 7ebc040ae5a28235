import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { getAgentSchemasOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { JsonSchema } from '../../../ui/schema-form/schema-fields.ts';
import { isContextGiven, type Draft } from './composer-draft.ts';
import { ValueFields } from './composer-value.tsx';

interface FieldsProps {
  readonly draft: Draft;
  readonly problem: string | undefined;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** The agent's input; one that is no object has no form, only JSON. */
export function InputFields({ draft, problem, onChange }: FieldsProps): ReactNode {
  const { data, error } = useSchemas(draft.agentId);
  const schema = data?.input_schema;
  return (
    <ValueFields
      key={draft.agentId}
      name="Input"
      schema={schema}
      failure={error}
      isJsonOnly={schema !== undefined && !isObjectSchema(schema)}
      written={draft.input}
      emptyText="{}"
      problem={problem}
      onChange={(input) => onChange({ input })}
    />
  );
}

/** The run's context, for agents with a schema for it, and where the sent run had one. */
export function ContextFields({ draft, problem, onChange }: FieldsProps): ReactNode {
  const schemas = useSchemas(draft.agentId);
  const schema = schemas.data?.context_schema;
  if (schema === undefined && !draft.context.isText && !isContextGiven(draft)) return undefined;
  return (
    <ValueFields
      key={draft.agentId}
      name="Context"
      schema={schema}
      failure={schemas.error}
      isJsonOnly={schema === undefined && !schemas.isPending}
      note={
        draft.start === 'input'
          ? undefined
          : 'Empty: that of the run it continues. {} as JSON: the defaults.'
      }
      written={draft.context}
      emptyText=""
      problem={problem}
      onChange={(context) => onChange({ context })}
    />
  );
}

function useSchemas(agentId: string) {
  return useQuery({
    ...getAgentSchemasOptions({ path: { name: agentId } }),
    enabled: agentId !== '',
  });
}

/** Whether an agent's input is an object: that of an entrypoint may be a text, a list or a number. */
function isObjectSchema(schema: JsonSchema): boolean {
  return schema['type'] === 'object' || 'properties' in schema || '$ref' in schema;
}
