import type { ReactNode } from 'react';

/** How to make PyCharm listen: with pydevd the agents connect to the IDE, not the other way round. */
export function PycharmSteps({ port, folder }: { port: number; folder: string }): ReactNode {
  return (
    <section>
      <h2>Listen in PyCharm</h2>
      <ol className="bullets">
        <li>
          Run › Edit Configurations… › + › <strong>Python Debug Server</strong>. It comes with
          PyCharm Professional.
        </li>
        <li>
          IDE host name <code>127.0.0.1</code>, port <code>{port}</code>.
        </li>
        <li>
          Path mappings: none while the project is <code>{folder}</code>; otherwise map the
          project&apos;s folder to it.
        </li>
        <li>
          Start that configuration with Debug. Its instructions about installing pydevd-pycharm and
          calling settrace are not needed.
        </li>
      </ol>
    </section>
  );
}
