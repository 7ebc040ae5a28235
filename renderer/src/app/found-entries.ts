import type { Agent, RecordedRun, Thread } from '../api/generated/types.gen.ts';
import type { Command } from '../ui/commands.ts';
import { shortenMiddle } from '../ui/format.ts';
import { agentPath, runPath, threadPath } from '../state/page-paths.ts';

/** A line of the palette: a command, or something that was found. */
export interface Entry extends Command {
  readonly kind: 'command' | 'agent' | 'thread' | 'run';
  /** Shown after the label. */
  readonly detail?: string;
  /** Of a run or a thread. */
  readonly status?: string;
}

/** Lines of one section. */
const sectionLimit = 5;
/** One more than is shown: whether there are more. */
export const searchLimit = sectionLimit + 1;

/** The agents that have every word in their name. */
export function agentEntries(agents: readonly Agent[], query: string): Entry[] {
  const found = agents.filter(({ agent_id, name }) => hasWords(`${agent_id} ${name}`, query));
  return found.slice(0, sectionLimit).map(({ agent_id, name, description }) => ({
    id: `agent:${agent_id}`,
    kind: 'agent',
    label: name,
    group: 'Agents',
    ...(description !== undefined && { detail: description }),
    run: ({ navigate }) => navigate(agentPath(agent_id)),
  }));
}

/** The threads that have every word in their title or id. */
export function titledThreads(threads: readonly Thread[], query: string): readonly Thread[] {
  return threads.filter(({ title = '', thread_id }) => hasWords(`${title} ${thread_id}`, query));
}

/** The first threads of a section, by their titles. */
export function threadEntries(threads: readonly Thread[], group: string): Entry[] {
  return threads.slice(0, sectionLimit).map(({ thread_id, title, status }) => ({
    id: `thread:${thread_id}`,
    kind: 'thread',
    label: title ?? thread_id,
    group,
    ...(title !== undefined && { detail: shortenMiddle(thread_id, 17) }),
    status,
    run: ({ navigate }) => navigate(threadPath(thread_id)),
  }));
}

/** The first runs, by what they were given. */
export function runEntries(runs: readonly RecordedRun[]): Entry[] {
  return runs
    .slice(0, sectionLimit)
    .map(({ run_id, thread_id, agent_id, status, input_preview, output_preview }) => ({
      id: `run:${run_id}`,
      kind: 'run',
      label: input_preview ?? output_preview ?? run_id,
      group: 'Runs',
      detail: agent_id,
      status,
      run: ({ navigate }) => navigate(runPath({ thread_id, run_id })),
    }));
}

/** The line that leads to everything that a section has, where that is more than is shown. */
export function allEntry(group: string, found: readonly unknown[], to: string): Entry[] {
  if (found.length <= sectionLimit) return [];
  const run: Entry['run'] = ({ navigate }) => navigate(to);
  return [{ id: `all:${group}`, kind: 'command', label: 'Show all of these', group, run }];
}

function hasWords(text: string, query: string): boolean {
  const all = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
