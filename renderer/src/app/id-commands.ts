import type { Command } from '../ui/commands.ts';
import { runPath, threadPath } from '../state/page-paths.ts';

const threadId = /^(?!\.{1,2}$)[A-Za-z0-9._:~-]{1,200}$/;
const runPart = /_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

/** Commands for a typed or pasted id: a composite run id opens its run, any other valid id a thread. */
export function idCommands(typed: string): Command[] {
  const id = typed.trim();
  if (!threadId.test(id) || id.length < 3) return [];
  const run = runPart.exec(id);
  const thread = run === null ? id : id.slice(0, run.index);
  return [
    ...(run === null || thread === ''
      ? []
      : [open('run', id, runPath({ thread_id: thread, run_id: id }))]),
    open('thread', thread, threadPath(thread)),
  ];
}

function open(kind: string, id: string, to: string): Command {
  return {
    id: `open:${kind}`,
    label: `Open ${kind} ${id}`,
    group: 'By id',
    run: (context) => context.navigate(to),
  };
}

/** True for text that is no command's name: ids have digits or are long. */
export function isLikelyId(typed: string): boolean {
  const id = typed.trim();
  return threadId.test(id) && (/\d/.test(id) || id.length > 16);
}
