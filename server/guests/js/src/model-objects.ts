import { isDeepStrictEqual } from 'node:util';
import { objectsWith } from './heap-objects.ts';
import { projectJson } from './json-projection.ts';
import { isRecord } from './run-config.ts';

export type Params = Readonly<Record<string, unknown>>;

/** What a trace has of a call, to find the object that was called. */
export interface RecordedCall {
  /** The class, unless the agent gives the call another one. */
  name: string;
  model: string;
  params: Params;
}

/** What we use of LangChain's chat models, from any copy of LangChain. */
export interface ChatModel {
  invoke(messages: readonly unknown[], options: object): Promise<unknown>;
  invocationParams?(options: object): unknown;
  getLsParams?(options: object): { ls_model_name?: unknown };
  /** What it was made of. */
  lc_kwargs?: object;
}

/** By the prototype of their base class: what was found before, since a look at all objects stops the process. */
const known = new WeakMap<object, WeakRef<object>[]>();

/** The live object that fits a recorded call best; undefined without one. */
export function findModel(base: object, call: RecordedCall): ChatModel | undefined {
  const before = (known.get(base) ?? []).flatMap((reference) => reference.deref() ?? []);
  const [found] = ranked(before, call);
  if (found !== undefined && found.different === 0 && found.isNamed) return found.model;
  const objects = objectsWith(base).filter(isInstance);
  known.set(
    base,
    objects.map((object) => new WeakRef(object)),
  );
  return ranked(objects, call)[0]?.model;
}

/** The parameters that a model is called with, as traces have them. */
export function paramsOf(model: ChatModel, options: object): Params {
  try {
    const params: unknown = JSON.parse(projectJson(model.invocationParams?.(options)));
    return isRecord(params) ? params : {};
  } catch {
    return {}; // a model of the agent's own that cannot tell
  }
}

/** The name that the provider knows a model by; empty when it is unknown. */
export function modelName(model: ChatModel, options: object): string {
  try {
    const { ls_model_name: name } = model.getLsParams?.(options) ?? {};
    return typeof name === 'string' ? name : '';
  } catch {
    return '';
  }
}

/** Prototypes of subclasses inherit from the base, too. */
function isInstance(object: object): boolean {
  return !Object.hasOwn(object, 'constructor');
}

function ranked(objects: readonly object[], call: RecordedCall) {
  return objects
    .map((object) => {
      const model = object as ChatModel; // the base class has these members
      const params = paramsOf(model, {});
      const names = Object.keys(params);
      const different = names.filter((name) => !isDeepStrictEqual(params[name], call.params[name]));
      return {
        model,
        different: different.length,
        isNamed: model.constructor.name === call.name,
        hasModel: call.model !== '' && modelName(model, {}) === call.model,
        hasParams: names.length > 0 && different.length === 0,
      };
    })
    .filter(({ isNamed, hasModel, hasParams }) => isNamed || hasModel || hasParams)
    .toSorted(
      (a, b) =>
        Number(b.isNamed) - Number(a.isNamed) ||
        a.different - b.different ||
        Number(b.hasModel) - Number(a.hasModel),
    );
}
