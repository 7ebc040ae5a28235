import { isObject, type JsonText, toJsonText } from '../../../model/json.ts';

/** The envelope of a checkpoint, without its state. */
export function checkpointOf(data: JsonText): JsonText {
  const given = JSON.parse(data) as Record<string, unknown>; // an object in this mode
  const { step = 0, source = 'loop' } = isObject(given['metadata']) ? given['metadata'] : {};
  const [id, parentId] = [given['config'], given['parent_config'] ?? given['parentConfig']].map(
    (config) =>
      isObject(config) && isObject(config['configurable'])
        ? config['configurable']['checkpoint_id']
        : undefined,
  );
  return toJsonText({ id, ...(parentId !== undefined && { parent_id: parentId }), step, source });
}
