import { Button } from '@mantine/core';
import { IconCircleHalf2 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Interrupt } from '../../../api/generated/types.gen.ts';

interface InterruptsProps {
  readonly interrupts: readonly Interrupt[];
  /** Where the form for the answer is. */
  readonly answerPath: string;
}

/** The questions that the thread waits for, with a link to their form. */
export function Interrupts({ interrupts, answerPath }: InterruptsProps): ReactNode {
  return (
    <section className="conversation-interrupts" aria-label="Waits for an answer">
      <IconCircleHalf2 size={16} aria-hidden />
      <div>
        <h2>
          {interrupts.length === 1
            ? 'Waits for an answer'
            : `Waits for ${interrupts.length} answers`}
        </h2>
        {interrupts.map(({ id, value }) => (
          <Question key={id} value={value} />
        ))}
      </div>
      <Button component={Link} to={answerPath}>
        Answer
      </Button>
    </section>
  );
}

function Question({ value }: { value: unknown }): ReactNode {
  if (typeof value === 'string') return <p>{value}</p>;
  const question =
    typeof value === 'object' && value !== null && 'question' in value ? value.question : undefined;
  return (
    <>
      {typeof question === 'string' && <p>{question}</p>}
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </>
  );
}
