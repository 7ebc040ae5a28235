// `npm run test:mutations -- [name…]`: makes one mistake after the other in a copy of the sources, and reports which test
// notices it. A name may be the beginning of several: `http/`. Ends with 1 when a mistake against the specification is
// noticed by nothing.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../suites.ts';
import { jobsOf, missingOf, relatedJobOf, type Job } from './candidates.ts';
import type { Mutation } from './mutation.ts';
import { mutations } from './mutations.ts';
import { hasTags, runJob, type Result, type Tier } from './runners.ts';
import { summaryOf, tableOf, type Notice, type Outcome } from './table.ts';
import { applyTo, openTree, type Tree } from './tree.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    commit: { type: 'string', default: 'HEAD' },
    /** Minutes that one command may take. */
    limit: { type: 'string', default: '8' },
    /** Where the table goes. */
    table: { type: 'string', default: path.join(root, '.cache/mutations/table.md') },
    'no-types': { type: 'boolean', default: false },
  },
});
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());
const { signal } = interrupted;
const limitMs = Number(values.limit) * 60_000;
const chosen = mutations.filter(
  ({ name }) => positionals.length === 0 || positionals.some((word) => name.startsWith(word)),
);

/** All at once, which is one check instead of fifty. A mistake that the compiler notices is none that tests need to. */
function checkTypes(tree: Tree): void {
  const undo = chosen.map((mutation) => applyTo(tree.folder, mutation)).toReversed();
  const args = [path.join(tree.folder, 'scripts/typecheck.ts')];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  for (const restore of undo) restore();
  if (status !== 0) throw new Error(`The compiler notices a mistake:\n${stdout}`);
}

/** The first test that fails with the mistake, in the order of cost; those of `npm test` before the others. */
async function examine(tree: Tree, mutation: Mutation): Promise<Outcome> {
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  const jobs = jobsOf(mutation.noticedBy, tree.files);
  const related = relatedJobOf(mutation.file);
  const tries = [
    ...jobs.map((job) => ({ job, tier: 'push' as const })),
    ...(related ? [{ job: related, tier: 'push' as const }] : []),
    ...jobs.map((job) => ({ job, tier: 'rest' as const })),
  ];
  const undo = applyTo(tree.folder, mutation);
  try {
    for (const { job, tier } of tries) {
      if (tier === 'rest' && !hasTags(tree.folder)) continue;
      const result = await runJob(job, { folder: tree.folder, tier, limitMs, signal });
      printResult(job, result);
      if (!result.isFailed && !result.isOver) continue;
      undo();
      const notice = await compare(tree, job, tier, result);
      return { mutation, notice, seconds: seconds() };
    }
    return { mutation, seconds: seconds() };
  } finally {
    undo();
  }
}

/** The same test without the mistake: it must pass. */
async function compare(tree: Tree, job: Job, tier: Tier, result: Result): Promise<Notice> {
  const [failure] = result.failures ?? [];
  const named = failure?.file;
  const files = job.isRelated === true ? tree.files : job.files;
  const file = files.find((one) => named !== undefined && one.endsWith(named));
  const again = file === undefined ? job : { suite: job.suite, files: [file] };
  const { folder } = tree;
  const options = { folder, tier, limitMs, signal };
  let control = await runJob(again, { ...options, only: failure?.name });
  // What failed was a hook, or is found by another name.
  if (control.passed === 0 && !control.isFailed) control = await runJob(again, options);
  printResult(again, control, 'without the mistake: ');
  const { suite } = job;
  const isDoubtful = control.isFailed || control.isOver;
  return { suite, tier, isDoubtful, ...(failure && { failure }) };
}

function printResult(
  { suite, files }: Job,
  { isOver, isFailed, seconds, failures }: Result,
  how = '',
): void {
  const end = isOver ? 'did not end' : isFailed ? 'failed' : 'passed';
  const names = files.map((file) => path.basename(file)).join(' ');
  console.log(`   ${how}${suite} ${names}: ${end} after ${seconds.toFixed(0)} s`);
  const [failure] = failures ?? [];
  if (failure === undefined) return;
  const [line = ''] = failure.message.split('\n');
  console.log(`     ${failure.name ?? failure.file ?? ''}: ${line.slice(0, 300)}`);
}

if (chosen.length === 0) throw new Error(`No mutation is called ${positionals.join(', ')}.`);
console.log(`── ${values.commit} with ${chosen.length} mutations`);
const tree = openTree(values.commit);
const outcomes: Outcome[] = [];
try {
  mkdirSync(path.join(tree.folder, '.cache'), { recursive: true });
  // Before anything runs: texts and names that do not fit any more.
  for (const mutation of chosen) {
    applyTo(tree.folder, mutation)();
    for (const name of missingOf(mutation.noticedBy, tree.files)) {
      console.log(`${mutation.name}: there is no test file ${name}`);
    }
  }
  if (!values['no-types']) checkTypes(tree);
  for (const mutation of chosen) {
    console.log(`\n── ${mutation.name}: ${mutation.breaks}`);
    outcomes.push(await examine(tree, mutation));
    writeFileSync(values.table, tableOf(outcomes));
  }
} finally {
  tree.close();
}
console.log(`\n${tableOf(outcomes)}\n${summaryOf(outcomes)}`);
const isMissed = ({ mutation, notice }: Outcome): boolean =>
  mutation.isSpec && (notice === undefined || notice.isDoubtful || notice.tier !== 'push');
process.exitCode = outcomes.some(isMissed) ? 1 : 0;
