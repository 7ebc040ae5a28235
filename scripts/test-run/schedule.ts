// Runs tasks side by side in a number of slots.

export interface Task {
  readonly name: string;
  /** How many slots it takes; more than there are counts as all of them. */
  readonly slots: number;
  /** Names of tasks that must have succeeded before. */
  readonly after: readonly string[];
  /** The usual length: long tasks begin first, so that none of them is left for the end. */
  readonly seconds: number;
  /** It is begun only when everything else is over, and runs by itself. */
  readonly isAlone: boolean;
  /** Resolves with whether it succeeded; rejects never. */
  readonly run: () => Promise<boolean>;
  /** Called instead of `run` when a task before it failed. */
  readonly skip: (failedTask: string) => void;
}

/** Runs all tasks; resolves when the last is over. */
export async function schedule(tasks: readonly Task[], slots: number): Promise<void> {
  const waiting = [...tasks].sort(byOrder(tasks));
  const succeeded = new Map<string, boolean>();
  const running = new Map<string, Promise<void>>();
  let free = slots;
  while (waiting.length > 0) {
    skipAfterFailures(waiting, succeeded);
    if (waiting.length === 0) break;
    const next = waiting.findIndex((task) => isReady(task));
    const task = waiting[next];
    if (task === undefined) {
      if (running.size === 0) {
        throw new Error(`Tasks wait for each other: ${waiting.map(({ name }) => name).join(', ')}`);
      }
      await Promise.race(running.values());
      continue;
    }
    waiting.splice(next, 1);
    const taken = task.isAlone ? slots : Math.min(task.slots, slots);
    free -= taken;
    const end = task.run().then((isGood) => {
      succeeded.set(task.name, isGood);
      running.delete(task.name);
      free += taken;
    });
    running.set(task.name, end);
  }
  await Promise.all(running.values());

  function isReady(task: Task): boolean {
    if (!task.after.every((name) => succeeded.get(name) === true)) return false;
    if (!task.isAlone) return Math.min(task.slots, slots) <= free;
    return running.size === 0 && waiting.every((other) => other.isAlone);
  }
}

/** What others wait for goes first, then long before short, at last what wants to be alone. */
function byOrder(tasks: readonly Task[]): (one: Task, other: Task) => number {
  const awaited = new Set(tasks.flatMap(({ after }) => after));
  const rank = ({ name, isAlone }: Task): number => (awaited.has(name) ? 0 : isAlone ? 2 : 1);
  return (one, other) => rank(one) - rank(other) || other.seconds - one.seconds;
}

function skipAfterFailures(waiting: Task[], succeeded: Map<string, boolean>): void {
  for (;;) {
    const index = waiting.findIndex(({ after }) =>
      after.some((name) => succeeded.get(name) === false),
    );
    const [task] = index < 0 ? [] : waiting.splice(index, 1);
    if (task === undefined) return;
    succeeded.set(task.name, false);
    task.skip(task.after.find((name) => succeeded.get(name) === false) ?? '');
  }
}
