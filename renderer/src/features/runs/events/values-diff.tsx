import { type ReactNode, useEffect, useState } from 'react';
import type { RunStreamEvent } from '../../../api/run-stream.ts';
import { type JsonDocument, openJson } from '../../../ui/json/json-client.ts';
import { JsonDiff } from '../../../ui/json/json-diff.tsx';

/** What changed from one state to a later one; both are parsed in the worker. */
export function ValuesDiff(props: { before: RunStreamEvent; after: RunStreamEvent }): ReactNode {
  const { before, after } = props;
  const [documents, setDocuments] = useState<readonly [JsonDocument, JsonDocument]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isUnmounted = false;
    const opening = Promise.all([openJson({ text: before.data }), openJson({ text: after.data })]);
    opening.then(
      (opened) => {
        if (!isUnmounted) setDocuments(opened);
      },
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isUnmounted = true;
      setDocuments(undefined);
      void opening.then(
        (opened) => opened.forEach((document) => document.close()),
        () => undefined,
      );
    };
  }, [before, after]);
  if (problem !== undefined) return <p className="hint">{problem}</p>;
  if (documents === undefined) return undefined;
  return (
    <JsonDiff
      documents={documents}
      labels={[`values ${before.id ?? ''}`, `values ${after.id ?? ''}`]}
      mode="structure"
    />
  );
}
