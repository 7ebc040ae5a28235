/*
 * Loaded in the SDK's thread for workflows before the SDK's own code, and collects its garbage when the main thread
 * asks for it. Three things of the SDK cost two thirds of the thread's processor time:
 * - Each call into workflow code has a time limit, for which Node starts a watchdog thread each time. Ours is one timer
 *   in the main thread (`watched-thread.ts`), which reads when the current call began.
 * - Each promise of workflow code gets a stack trace, which only the query `__stack_trace` shows. Before Node 24 the hook
 *   that makes it is also what keeps the context of asynchronous code, and with it the SDK's cancellation scopes.
 * - A call for another workflow than the last one exchanges all global variables of the context, one by one. What the SDK
 *   sets in them is the same for all workflows, but for the activator, and ours set nothing.
 */
import type { ScriptOptions } from 'node:vm';
import type { MessagePort } from 'node:worker_threads';

// CommonJS, because `--require` takes nothing else in every Node that the service runs in.
const v8 = process.getBuiltinModule('node:v8');
const vm = process.getBuiltinModule('node:vm');
const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');
const { workerData } = process.getBuiltinModule('node:worker_threads');

/** What the main thread passes to the thread. */
interface WorkflowThreadData {
  /** When the current call into workflow code began, by `process.hrtime.bigint()`; 0: there is none. Shared. */
  callBegan: BigInt64Array;
  /** Every message asks for a collection of garbage. */
  collect: MessagePort;
}

const { callBegan, collect } = workerData as WorkflowThreadData; // passed by watched-thread.ts
const { runInContext } = vm.Script.prototype;

vm.Script.prototype.runInContext = function runWithoutTimeLimit(context, options) {
  const { timeout: _, ...others } = options ?? {};
  Atomics.store(callBegan, 0, process.hrtime.bigint());
  try {
    return runInContext.call(this, context, others) as unknown;
  } finally {
    Atomics.store(callBegan, 0, 0n);
  }
};

/** The SDK's call into a workflow: of which, what, and with which arguments is in `__temporal_args`. */
const SDK_CALL = '__TEMPORAL_CALL_INTO_SCOPE()';
const OWN_CALL = `{
  const [workflow, name, args] = globalThis.__temporal_args;
  delete globalThis.__temporal_args;
  const last = globalThis.__TEMPORAL_BAG_HOLDER__;
  if (last !== workflow) {
    if (last !== undefined) last.activator = globalThis.__TEMPORAL_ACTIVATOR__;
    globalThis.__TEMPORAL_ACTIVATOR__ = workflow.activator;
    globalThis.__TEMPORAL_BAG_HOLDER__ = workflow;
  }
  __TEMPORAL__.api[name](...args);
}`;

vm.Script = class extends vm.Script {
  constructor(code: string, options?: string | ScriptOptions) {
    super(code === SDK_CALL ? OWN_CALL : code, options);
  }
};

// Only its implementation over promise hooks has this member.
const needsHook = '_enable' in AsyncLocalStorage.prototype;
if (!needsHook) v8.promiseHooks.createHook = () => () => undefined;

// The function exists only in contexts made while the flag is set: those of workflows do not have it.
v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc') as (options: object) => void; // V8's extension
v8.setFlagsFromString('--no-expose-gc');
collect.on('message', () => collectGarbage({ type: 'major', flavor: 'last-resort' }));
collect.unref();
