import { isObject, toJsonText } from '../../../model/json.ts';
import type { Made } from './run-frames.ts';

/** The event of a tool call's begin or end, from one of the stream mode `calls`. */
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
  if (error !== null && error !== undefined) {
    return made({ event: 'tool-error', message: isObject(error) ? error['message'] : error });
  }
  return made({ event: 'tool-finished', output });
}
