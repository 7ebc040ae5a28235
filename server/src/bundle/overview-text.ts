/** The content of a bundle and the effects of its import, in sentences for a terminal. */
import type { BundleHeader, MadeBy } from './bundle-record.ts';
import type { BundleOverview, ThreadOverview } from './bundle-overview.ts';
import { printable } from './lines.ts';

/** Names of the data that was dropped so that an imported thread fits into its first execution. */
export const SHED_SENTENCES = {
  pending_writes: 'pending writes of steps that have ended',
  outputs: 'outputs of its older runs',
  old_checkpoints: 'outputs and checkpoints of its older runs',
  old_runs: 'checkpoints of its older runs, and the oldest of these runs themselves',
  open_writes: 'outputs, older checkpoints, older runs and the open question',
} as const;

/** Maximum characters of a name from the file. */
const NAME_LENGTH = 200;

/** How the file is imported. */
export interface ImportManner {
  /** The new id of the single thread. */
  as?: string;
  /** For whom unfinished runs continue. Absent: they are cancelled. */
  resumeAs?: string;
}

/** The maker that a bundle claims: `the user "ada" on the machine "desk"`; undefined when it names none. */
export function makerText({ sub, issuer, user, host }: MadeBy = {}): string | undefined {
  if (sub !== undefined) {
    const by = issuer === undefined ? '' : ` of the issuer ${quoted(issuer)}`;
    return `${quoted(sub)}${by}`;
  }
  const where = host === undefined ? '' : ` the machine ${quoted(host)}`;
  if (user === undefined) return where === '' ? undefined : `a user on${where}`;
  return `the user ${quoted(user)}${where === '' ? '' : ` on${where}`}`;
}

/** Who made it, when and with what, and that this is a claim. */
export function originSentence({ made_by: madeBy, created_at: at, product }: BundleHeader): string {
  const maker = makerText(madeBy);
  const what = `${printable(product.name, NAME_LENGTH)} ${printable(product.version, NAME_LENGTH)}`;
  const when = `${printable(at)}, with ${what}`;
  return maker === undefined
    ? `The file does not name who made it. According to the file, it was made on ${when}; this is not verified.`
    : `According to the file, it was made by ${maker} on ${when}; this is not verified.`;
}

/** The whole overview, line by line. */
export function* overviewLines(
  { header, threads }: BundleOverview,
  manner: ImportManner = {},
): Generator<string> {
  yield originSentence(header);
  yield '';
  yield threads.length === 1 ? '1 thread:' : `${threads.length} threads:`;
  for (const thread of threads) yield `  ${threadLine(thread)}`;
  yield '';
  yield 'What importing does:';
  for (const sentence of consequences(threads, manner)) yield `  - ${sentence}`;
}

function threadLine(thread: ThreadOverview): string {
  const { threadId, owner, agents, runs, checkpoints, createdAt } = thread;
  const count = [...runs.values()].reduce((all, some) => all + some, 0);
  const states = [...runs].map(([status, some]) => `${some} ${status}`).join(', ');
  const parts = [
    `${count === 1 ? '1 run' : `${count} runs`}${states === '' ? '' : ` (${states})`}`,
    checkpoints === 1 ? '1 checkpoint' : `${checkpoints} checkpoints`,
    ...(agents.length === 0 ? [] : [`agents ${names(agents)}`]),
    `created ${new Date(createdAt).toISOString()}`,
    ...(owner === undefined ? [] : [`owner ${quoted(owner)}`]),
  ];
  return `${threadId}: ${parts.join(', ')}`;
}

function* consequences(
  threads: readonly ThreadOverview[],
  { as, resumeAs }: ImportManner,
): Generator<string> {
  const open = threads.reduce((all, { openRuns }) => all + openRuns, 0);
  const unfinished =
    open === 1 ? 'The 1 run that had not ended' : `The ${open} runs that had not ended`;
  if (open === 0) yield 'Every run had ended; none continues.';
  else if (resumeAs !== undefined && as === undefined) {
    yield `${unfinished} will continue at the next start of the service, as ${quoted(resumeAs)}.`;
  } else yield `${unfinished} will be cancelled; what was saved stays.`;
  yield as === undefined
    ? 'Threads and runs keep their ids; a thread whose id is taken is left out.'
    : `The thread gets the id ${as}, and its runs get new ids.`;
  yield 'Threads keep the owner that the file names. What runs on them later runs as the caller who starts it.';
  const agents = [...new Set(threads.flatMap((thread) => thread.agents))];
  if (agents.length > 0) {
    yield `The code of agents is not in the file. To continue, its threads need these here: ${names(agents)}.`;
  }
  yield 'Stored values become objects of known types only (guest.allowed_types); everything else stays data.';
  yield 'Its texts, such as prompts and messages, go to models and tools when a thread is continued: import only files from people you trust.';
}

/** Maximum number of agents that a line names. */
const NAMED = 10;

function names(agents: readonly string[]): string {
  const more = agents.length > NAMED ? ` and ${agents.length - NAMED} more` : '';
  return `${agents.slice(0, NAMED).map(quoted).join(', ')}${more}`;
}

function quoted(text: string): string {
  return `"${printable(text, NAME_LENGTH)}"`;
}
