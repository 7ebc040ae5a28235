import Database from 'better-sqlite3';
import { v7 as uuidv7 } from 'uuid';

const STATUSES = ['idle', 'interrupted', 'error', 'busy'];

/** A thread that was made by requests: its row in the visibility store. */
interface Source {
  id: number;
  runId: string;
}

/**
 * Copies the threads of an engine's database until there are this many. Lists and searches read the rows of the
 * visibility store; the others make the database as large as so many threads would. Indexes and generated columns follow
 * by themselves.
 */
export function copyThreads(file: string, threads: number): void {
  const database = new Database(file);
  try {
    // A copy that fails is thrown away with its folder.
    database.pragma('synchronous = OFF');
    database.pragma('cache_size = -400000');
    const sources = database
      .prepare(
        `SELECT rowid AS id, run_id AS runId FROM executions_visibility WHERE workflow_id LIKE 'thread-%'`,
      )
      .all() as Source[]; // as selected
    const copyVisible = visibilityCopy(database);
    const copies = [
      copyOf(database, 'executions', ['workflow_id', 'run_id'], 'run_id'),
      copyOf(database, 'current_executions', ['workflow_id', 'run_id'], 'run_id'),
      copyOf(database, 'history_tree', ['tree_id'], 'tree_id'),
      copyOf(database, 'history_node', ['tree_id'], 'tree_id'),
    ];
    database.transaction(() => {
      for (let index = sources.length; index < threads; index++) {
        const source = sources[index % sources.length];
        if (source === undefined) throw new Error('no row of a thread');
        const to = { workflowId: `thread-${uuidv7()}`, runId: uuidv7() };
        copyVisible(source, to, index);
        for (const copy of copies) copy(source, to);
      }
    })();
  } finally {
    database.close();
  }
}

type Row = Record<string, unknown>;

interface Target {
  workflowId: string;
  runId: string;
}

/** Copies rows of a table, found by their run or its history, with other ids. */
function copyOf(
  database: Database.Database,
  table: string,
  replaced: readonly string[],
  key: string,
): (source: Source, to: Target) => void {
  // Read once: by the run alone they are found without an index.
  const rows = database.prepare(`SELECT * FROM ${table}`).all() as Row[]; // as selected
  const byRun = new Map<string, Row[]>();
  for (const row of rows) {
    const run = (row[key] as Buffer).toString('hex'); // BINARY(16)
    byRun.set(run, [...(byRun.get(run) ?? []), row]);
  }
  const columns = Object.keys(rows[0] ?? {});
  const values = columns.map((name) => `@${name}`);
  const insert = database.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`,
  );
  return ({ runId }, to) => {
    const run = bytesOf(to.runId);
    const ids = { workflow_id: to.workflowId, run_id: run, tree_id: run };
    const own = Object.fromEntries(Object.entries(ids).filter(([name]) => replaced.includes(name)));
    for (const row of byRun.get(bytesOf(runId).toString('hex')) ?? [])
      insert.run({ ...row, ...own });
  };
}

function visibilityCopy(
  database: Database.Database,
): (source: Source, to: Target, index: number) => void {
  const columns = `namespace_id, _version, execution_time, workflow_type_name, status, memo, encoding,
    task_queue, root_workflow_id, root_run_id`;
  const copy = database.prepare(`
    INSERT INTO executions_visibility (${columns}, run_id, workflow_id, start_time, search_attributes)
    SELECT ${columns}, ?, ?, strftime('%Y-%m-%d %H:%M:%f+00:00', start_time, ?),
      json_set(search_attributes, '$.${statusField(database)}', ?)
    FROM executions_visibility WHERE rowid = ?`);
  return ({ id }, { runId, workflowId }, index) => {
    const status = STATUSES[index % 50 < 47 ? 0 : (index % 50) - 46];
    copy.run(runId, workflowId, `-${index} seconds`, status, id);
  };
}

/** The column of the thread's status differs between databases. */
function statusField(database: Database.Database): string {
  const row = database
    .prepare(
      `SELECT search_attributes AS json FROM executions_visibility WHERE search_attributes LIKE '%idle%'`,
    )
    .get() as { json: string } | undefined; // as selected
  const attributes = Object.entries(JSON.parse(row?.json ?? '{}') as Record<string, unknown>);
  const field = attributes.find(([, value]) => value === 'idle')?.[0];
  if (field === undefined) throw new Error('no row of a thread');
  return field;
}

function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}
