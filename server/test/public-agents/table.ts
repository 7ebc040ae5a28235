// The table of the agents of others in docs/compatibility.md, from the results of the last runs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nameOf, publicAgents, type PublicAgent } from './catalogue.ts';
import type { Outcome } from './converse.ts';

/** The result of one agent of the catalogue. */
export interface Result {
  readonly name: string;
  readonly repository: string;
  readonly commit: string;
  readonly language: string;
  /** Of the packages that decide what an agent can do. */
  readonly versions: Record<string, string>;
  readonly outcomes: readonly Outcome[];
  readonly problem?: string;
}

const document = path.resolve(import.meta.dirname, '../../../docs/compatibility.md');
const heading = '### Agents of others that were run';
const introduction = `Public agents, unmodified, at the commits named here: checked out, installed, served, and talked to over LangGraph's API, with a scripted model in place of a real one (\`npm run test:public-agents\`). A conversation has schemas, a run that is streamed, answers to what the agent asks, and the state at its end.`;

/** Writes the table: agents without a result of this machine keep their row out of it. */
export function writeTable(folder: string): void {
  const rows = publicAgents().flatMap((agent) => {
    const file = path.join(folder, `${nameOf(agent).replaceAll('/', '+')}.json`);
    if (!existsSync(file)) return [];
    return [rowOf(agent, JSON.parse(readFileSync(file, 'utf8')) as Result)]; // written by this program
  });
  const text = readFileSync(document, 'utf8');
  const begin = text.indexOf(heading);
  const end = text.indexOf('\n### ', begin + heading.length);
  const table = [
    '| agent | commit | language | versions | result |',
    '|---|---|---|---|---|',
    ...rows,
  ];
  const part = [heading, '', introduction, '', ...table, ''].join('\n');
  writeFileSync(document, text.slice(0, begin) + part + text.slice(end));
}

function rowOf(agent: PublicAgent, result: Result): string {
  const versions = Object.entries(result.versions).map(([name, version]) => `${name} ${version}`);
  const link = `[${nameOf(agent)}](https://github.com/${agent.repository})`;
  const cells = [link, `\`${agent.commit.slice(0, 10)}\``, agent.language, versions.join(', ')];
  return `| ${[...cells, verdictOf(agent, result)].join(' | ')} |`;
}

function verdictOf(agent: PublicAgent, { outcomes, problem }: Result): string {
  const good = outcomes.filter((outcome) => outcome.problem === undefined);
  const bad = outcomes.filter((outcome) => outcome.problem !== undefined);
  if (problem === undefined && bad.length === 0) {
    return `works: ${good.map(({ graph }) => `\`${graph}\``).join(', ')}${newer(agent)}${agent.note === undefined ? '' : `; ${agent.note}`}`;
  }
  if (agent.fails !== undefined) return `does not run: ${agent.fails}`;
  const reason = problem ?? bad[0]?.problem ?? '';
  return `does not run: ${reason.split('\n')[0]?.slice(0, 200).replaceAll('|', '\\|') ?? ''}`;
}

/** What was installed beside what the folder asks for. */
function newer({ install, packages }: PublicAgent): string {
  const more = [...install, ...packages].filter(
    (word) => !word.startsWith('-') && !word.endsWith('.txt'),
  );
  return more.length === 0 ? '' : ` (installed besides: ${more.join(', ')})`;
}
