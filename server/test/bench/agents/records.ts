import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

interface RecordLine {
  id: string;
  name: string;
  note: string;
  score: number;
  tags: string[];
}

const State = Annotation.Root({
  records: Annotation<RecordLine[]>,
  size: Annotation<number>,
  steps: Annotation<number>,
});

/** About so many bytes are one record in JSON. */
const RECORD_BYTES = 250;

const record = (index: number, step: number): RecordLine => ({
  id: `record-${index}`,
  name: `Customer ${index * 7919}`,
  note: `Step ${step} looked at this one and found what it found. `.repeat(3),
  score: (index * 31 + step * 17) % 1_000,
  tags: ['alpha', 'beta', `group-${index % 50}`],
});

/** A state of a given size, in records; each step changes one record of a hundred and adds some. */
export const graph = new StateGraph(State)
  .addNode('work', ({ records, size, steps }) => {
    const known =
      records ?? Array.from({ length: Math.ceil(size / RECORD_BYTES) }, (_, at) => record(at, 0));
    const changed = known.map((line, at) => (at % 100 === steps % 100 ? record(at, steps) : line));
    const added = Array.from({ length: 5 }, (_, at) => record(known.length + at, steps));
    return { records: [...changed, ...added], steps: steps - 1 };
  })
  .addEdge(START, 'work')
  .addConditionalEdges('work', ({ steps }) => (steps > 0 ? 'work' : END))
  .compile();
