import { lazy, type ReactNode, Suspense } from 'react';

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));
/** Beyond that, marks are not worth the time they take. */
const longest = 100_000;

/** A message's text as markdown; as plain text until that has come, and when it is very long. */
export function MessageText({ text }: { text: string }): ReactNode {
  const plain = <div className="message-plain">{text}</div>;
  if (text.length > longest) return plain;
  return (
    <Suspense fallback={plain}>
      <Markdown text={text} />
    </Suspense>
  );
}
