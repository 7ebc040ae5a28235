import { isObject, toJsonText } from '../../../model/json.ts';
import type { Made } from './run-frames.ts';

/**
 * What a tool raises that asks a question: it has not failed, and is called again with the answer. LangGraph's servers
 * report neither an end nor an error of it.
 */
const PAUSED = /^(GraphInterrupt|NodeInterrupt|GraphDrained)\b/u;

/** The event of a tool call's begin, of a part of its output or of its end, from one of the stream mode `calls`. */
export function toolFrame(namespace: readonly string[], call: Record<string, unknown>): Made[] {
  const { id, tool_call_id: asked, name, node, input, output, error } = call;
  const own = isObject(output) ? output['tool_call_id'] : undefined;
  // A tool that an agent's code calls itself has no call of a model: it is known by its run.
  const toolCallId = asked ?? own ?? id;
  const made = (data: object): Made[] => [
    {
      method: 'tools',
      namespace,
      node: typeof node === 'string' ? node : undefined,
      data: toJsonText({ ...data, tool_call_id: toolCallId }),
    },
  ];
  if (call['event'] === 'start') return made({ event: 'tool-started', tool_name: name, input });
  if (call['event'] === 'delta') {
    return made({ event: 'tool-output-delta', delta: call['delta'] });
  }
  if (typeof error === 'string') {
    // `Class: message`, as guests report it; the protocol has the message alone.
    const message = error.replace(/^[\p{L}\p{N}_$]+: /u, '');
    return PAUSED.test(error) ? [] : made({ event: 'tool-error', message });
  }
  return made({ event: 'tool-finished', output });
}
