import type { ReactNode } from 'react';
import { numberOf, textOf } from '../../api/json-record.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { formatNumber, formatSize, formatUtc } from '../../ui/format.ts';
import type { BundleThread } from './bundle-threads.ts';
import { ImportConsequences } from './import-consequences.tsx';
import type { Bundle } from './read-bundle.ts';
import { Fact, Facts } from '../../ui/facts.tsx';

/** Threads that the table shows; the others are counted. */
const shownThreads = 100;
/** Characters of a cell of the table. */
const cellLength = 100;

/** Who made the file, what is in it, and what importing does: shown before anything is imported. */
export function BundleOverview({ bundle }: { bundle: Bundle }): ReactNode {
  const { threads } = bundle;
  const more = threads.length - shownThreads;
  return (
    <div className="bundle-overview scroll" role="region" aria-label="Overview" tabIndex={0}>
      <section aria-labelledby="bundle-origin">
        <h2 id="bundle-origin">Where it comes from</h2>
        <Facts>
          <Fact name="Made by">
            <Maker bundle={bundle} />
            <div className="dim">This is the file’s own information; it is not verified.</div>
          </Fact>
          <Fact name="Made">
            <ForeignText text={formatUtc(bundle.createdAt)} maxLength={64} />
          </Fact>
          <Fact name="With">
            <ForeignText text={bundle.writtenBy} />
          </Fact>
          {bundle.agent !== undefined && (
            <Fact name="Agent">
              <ForeignText text={bundle.agent.id} />{' '}
              {bundle.agent.version !== undefined && (
                <span className="dim mono">
                  <ForeignText text={bundle.agent.version} />
                </span>
              )}
            </Fact>
          )}
          <Fact name="File">
            <ForeignText text={bundle.name} />{' '}
            <span className="dim">{formatSize(bundle.bytes)}</span>
          </Fact>
        </Facts>
        <p className="dim">
          This page only reads the file. The service checks every line of it before it imports
          anything.
        </p>
      </section>
      <section aria-labelledby="bundle-threads">
        <h2 id="bundle-threads">
          {threads.length === 1 ? '1 thread' : `${formatNumber(threads.length)} threads`}
        </h2>
        {threads.length > 0 && (
          <div className="bundle-threads" role="group" aria-label="Threads" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th>Thread</th>
                  <th>Agent</th>
                  <th>Runs</th>
                  <th className="bundle-count">Checkpoints</th>
                  <th>Created (UTC)</th>
                  <th>Owner</th>
                </tr>
              </thead>
              <tbody>
                {threads.slice(0, shownThreads).map((thread, at) => (
                  <ThreadRow key={at} thread={thread} />
                ))}
              </tbody>
            </table>
          </div>
        )}
        {more > 0 && <p className="dim">and {formatNumber(more)} more</p>}
      </section>
      <ImportConsequences threads={threads} />
    </div>
  );
}

function Maker({ bundle: { madeBy } }: { bundle: Bundle }): ReactNode {
  if (madeBy === undefined) return <span className="dim">The file does not contain it</span>;
  const { sub, issuer, user, host } = madeBy;
  const name = sub ?? user;
  const [where, origin] = sub === undefined ? ['on', host] : ['issuer', issuer];
  return (
    <>
      {name === undefined ? 'Unknown' : <ForeignText text={name} />}
      {origin !== undefined && (
        <span className="dim">
          {' '}
          {where} <ForeignText text={origin} />
        </span>
      )}
    </>
  );
}

function ThreadRow({ thread }: { thread: BundleThread }): ReactNode {
  const { thread: line, agents, statuses, counts } = thread;
  const created = numberOf(line, 'created_at');
  const more: unknown = line['more'];
  const owner = typeof more === 'object' && more !== null ? Reflect.get(more, 'owner') : undefined;
  const states = [...statuses].slice(0, 10);
  return (
    <tr>
      <td className="mono">
        <ForeignText text={textOf(line, 'thread_id') ?? ''} maxLength={cellLength} />
      </td>
      <td>
        <ForeignText text={agents.slice(0, 10).join(', ')} maxLength={cellLength} />
      </td>
      <td>
        {formatNumber(counts.runs)}
        {states.length > 0 && (
          <span className="dim">
            {' '}
            (
            <ForeignText
              text={states.map(([status, count]) => `${count} ${status}`).join(', ')}
              maxLength={cellLength}
            />
            )
          </span>
        )}
      </td>
      <td className="bundle-count">{formatNumber(counts.checkpoints)}</td>
      <td>{created === undefined ? '' : formatUtc(created).slice(0, 19)}</td>
      <td>
        {typeof owner === 'string' ? (
          <ForeignText text={owner} maxLength={cellLength} />
        ) : (
          <span className="dim">—</span>
        )}
      </td>
    </tr>
  );
}
