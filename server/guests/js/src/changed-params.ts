import { isDeepStrictEqual } from 'node:util';
import { GuestError } from './guest-error.ts';
import { type ChatModel, type Params, paramsOf } from './model-objects.ts';
import { isRecord } from './run-config.ts';

/**
 * The model and the call options that make these parameters: those that the model does not have of itself become
 * options, as what is bound to it does. What is no option of its class, like a temperature of many, needs another
 * object: one of the same class, made of the same arguments but these. Throws when neither has an effect.
 */
export function withParams(
  model: ChatModel,
  wanted: Params,
): { model: ChatModel; options: Record<string, unknown> } {
  const own = paramsOf(model, {});
  const options = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(own[name], value)),
  );
  // A model that reports no parameters takes what it is given.
  if (Object.keys(own).length === 0) return { model, options };
  const left = missing(model, wanted, options);
  if (left.length === 0) return { model, options };
  const changed = changedModel(model, Object.fromEntries(left));
  const without = left.map(([name]) => name);
  for (const name of without) delete options[name];
  const [refused] = missing(changed, wanted, options);
  if (refused === undefined) return { model: changed, options };
  throw new GuestError(
    'invalid_request',
    `The model does not take ${JSON.stringify(refused[1])} as ${refused[0]} of one call.`,
  );
}

function missing(model: ChatModel, wanted: Params, options: object): [string, unknown][] {
  const made = paramsOf(model, options);
  return Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(made[name], value));
}

function changedModel(model: ChatModel, changes: Params): ChatModel {
  const given = Object.entries(changes).map(([name, value]) => [fieldOf(model, name), value]);
  const Class = model.constructor as new (given: object) => ChatModel; // its own
  const made = isRecord(model.lc_kwargs) ? model.lc_kwargs : {};
  try {
    return new Class({ ...made, ...(Object.fromEntries(given) as object) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new GuestError(
      'invalid_request',
      `The model cannot be made with other parameters: ${reason}`,
    );
  }
}

/** `max_tokens` of a request is the member `maxTokens` of a model. */
function fieldOf(model: ChatModel, name: string): string {
  if (name in model) return name;
  const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return camel in model ? camel : name;
}
