import { Button } from '@mantine/core';
import { IconEdit } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Run, TraceSpan } from '../../../api/generated/types.gen.ts';
import { isRecord, numberOf } from '../../../api/json-record.ts';
import { runInputQuery } from '../../../api/queries/run-trace.ts';
import { formatCost, formatDuration, formatNumber, formatUtc } from '../../../ui/format.ts';
import { StatusBadge } from '../../../ui/status-badge.tsx';
import { RunErrorDetails } from '../run-error.tsx';
import { ValueView } from '../value-view.tsx';
import { draftOf } from './call-draft.ts';
import { callKey, changeCall, useCallDrafts } from './call-drafts.ts';
import { CallEditor } from './call-editor.tsx';
import { Fact, Facts } from '../../../ui/facts.tsx';

interface SpanDetailProps {
  readonly span: TraceSpan;
  readonly run: Run;
  /** The run failed in this span: then its traceback belongs here. */
  readonly isFailing: boolean;
}

/** Everything that is recorded of a span: how it ended, its figures, what went in and what came out. */
export function SpanDetail({ span, run, isFailing }: SpanDetailProps): ReactNode {
  const { kind, name, status, error, input, output, params } = span;
  const isCall = kind === 'model' || kind === 'tool';
  const key = callKey(run.run_id, span.id);
  const edited = useCallDrafts(({ calls }) => calls.get(key));
  const isEdited = edited?.isOpen === true;
  // A model that completes a text takes no messages.
  const isEditable = kind === 'model' && typeof input !== 'string';
  return (
    // With the focus the keyboard scrolls it.
    <section className="span-detail stack scroll" aria-label="Span" tabIndex={0}>
      <header className="row wrap">
        <h3>{name}</h3>
        <span className="dim">{kindName(span)}</span>
        <StatusBadge status={status} filled />
        {isEditable && !isEdited && (
          <Button
            size="compact-xs"
            ml="auto"
            leftSection={<IconEdit size={13} aria-hidden />}
            onClick={() => changeCall(key, { draft: edited?.draft ?? draftOf(span), isOpen: true })}
          >
            Edit and call again
          </Button>
        )}
        <Facts isLine>
          {factsOf(span).map(([fact, value]) => (
            <Fact key={fact} name={fact}>
              {value}
            </Fact>
          ))}
        </Facts>
      </header>
      {isFailing && run.error !== undefined ? (
        <RunErrorDetails run={run} error={run.error} />
      ) : (
        error !== undefined && (
          <p className="callout" data-tone="error" role="alert">
            {error.type !== undefined && <strong>{error.type}: </strong>}
            {error.message}
          </p>
        )
      )}
      {isEdited ? (
        <CallEditor span={span} runId={run.run_id} call={edited} />
      ) : (
        <>
          <SpanPart title={kind === 'model' ? 'Prompt' : 'Input'} value={input} />
          <SpanPart title={kind === 'model' ? 'Response' : 'Output'} value={output} />
          <SpanPart title="Parameters" value={params} />
        </>
      )}
      {kind === 'attempt' && <RunValues run={run} hasOutput={status === 'completed'} />}
      {isCall && !isEdited && input === undefined && output === undefined && (
        <p className="dim">
          No input or output is recorded: <code>history.record</code> may be <code>metadata</code>.
        </p>
      )}
    </section>
  );
}

function kindName({ kind, step, attempt }: TraceSpan): string {
  if (kind === 'attempt') return '';
  const where = step === undefined ? '' : `, step ${step}`;
  const call = kind === 'node' ? 'node' : `${kind} call`;
  return `${call}${where}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
}

function factsOf(span: TraceSpan): readonly (readonly [string, string])[] {
  const { kind, model, node, duration_ms, started_at, first_token_at, cost } = span;
  const usage = isRecord(span.usage) ? span.usage : {};
  const facts: (readonly [string, string | undefined])[] = [
    [
      kind === 'model' ? 'latency' : 'took',
      duration_ms === undefined ? undefined : formatDuration(duration_ms),
    ],
    [
      'first token after',
      first_token_at === undefined
        ? undefined
        : formatDuration(Date.parse(first_token_at) - Date.parse(started_at)),
    ],
    ['tokens in', tokens(usage, 'input_tokens')],
    ['tokens out', tokens(usage, 'output_tokens')],
    ['cost', cost === undefined ? undefined : formatCost(cost)],
    ['model', model],
    ['node', kind === 'model' || kind === 'tool' ? node : undefined],
    ['started', formatUtc(started_at)],
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function tokens(usage: Record<string, unknown>, name: string): string | undefined {
  const count = numberOf(usage, name);
  return count === undefined ? undefined : formatNumber(count);
}

/** One value of a span under its name. */
function SpanPart({ title, value }: { title: string; value: unknown }): ReactNode {
  if (value === undefined || value === null) return undefined;
  return (
    <section className="span-part" aria-label={title}>
      <h4>{title}</h4>
      <ValueView label={title} value={value} maxHeight={420} splitsMessages />
    </section>
  );
}

/** Of an attempt: what the whole run was given, and what it returned if this attempt completed it. */
function RunValues({ run, hasOutput }: { run: Run; hasOutput: boolean }): ReactNode {
  const input = useQuery(runInputQuery(run.run_id));
  return (
    <>
      <SpanPart title="Input" value={input.data?.command ?? input.data?.input} />
      {hasOutput && <SpanPart title="Output" value={run.output} />}
    </>
  );
}
