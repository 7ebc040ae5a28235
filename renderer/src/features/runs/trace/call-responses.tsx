import type { ReactNode } from 'react';
import type { ModelCallResult, TraceSpan } from '../../../api/generated/types.gen.ts';
import { isRecord, numberOf } from '../../../api/json-record.ts';
import { formatCost, formatDuration, formatNumber } from '../../../ui/format.ts';
import { ValueView } from '../value-view.tsx';
import { Fact, Facts } from '../../../ui/facts.tsx';

/** What the model returned now, beside what is recorded of it. */
export function CallResponses(props: { span: TraceSpan; result: ModelCallResult }): ReactNode {
  const { span, result } = props;
  return (
    <div className="call-responses stack">
      <Response
        title="New response"
        output={result.output}
        latencyMs={result.latency_ms}
        usage={result.usage}
        cost={result.cost}
        model={result.model}
      />
      <Response
        title="Recorded response"
        output={span.output}
        latencyMs={span.duration_ms}
        usage={span.usage}
        cost={span.cost}
        model={span.model}
        failure={span.error?.message}
      />
    </div>
  );
}

interface ResponseProps {
  readonly title: string;
  readonly output: unknown;
  readonly latencyMs: number | undefined;
  readonly usage: unknown;
  readonly cost: number | undefined;
  readonly model: string | undefined;
  readonly failure?: string | undefined;
}

function Response(props: ResponseProps): ReactNode {
  const { title, output, latencyMs, usage, cost, model, failure } = props;
  const counts = isRecord(usage) ? usage : {};
  const tokensOf = (name: string): string | undefined => {
    const count = numberOf(counts, name);
    return count === undefined ? undefined : formatNumber(count);
  };
  const facts = {
    latency: latencyMs === undefined ? undefined : formatDuration(latencyMs),
    'tokens in': tokensOf('input_tokens'),
    'tokens out': tokensOf('output_tokens'),
    cost: cost === undefined ? undefined : formatCost(cost),
    model,
  };
  return (
    <section className="call-response card" aria-label={title}>
      <h4>{title}</h4>
      <Facts isLine>
        {Object.entries(facts).map(
          ([fact, value]) =>
            value !== undefined && (
              <Fact key={fact} name={fact}>
                {value}
              </Fact>
            ),
        )}
      </Facts>
      {failure !== undefined && (
        <p className="callout" data-tone="error">
          {failure}
        </p>
      )}
      {output === undefined || output === null ? (
        failure === undefined && <p className="dim">No response is recorded.</p>
      ) : (
        <ValueView label={title} value={output} maxHeight={420} />
      )}
    </section>
  );
}
