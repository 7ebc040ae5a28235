import { Session } from 'node:inspector';

/** The part of a response of Node's inspector that is used here. */
interface Evaluated {
  result: { objectId?: string };
}

const key = Symbol.for('agent-runtime:heap-objects');

/**
 * All live objects that inherit from the prototype, as the inspector of this thread finds them: nothing of the agent's
 * libraries has to be changed for it. It collects garbage first, which stops the process for some milliseconds.
 */
export function objectsWith(prototype: object): object[] {
  const exchange: { prototype: object; found: object[] } = { prototype, found: [] };
  const session = new Session();
  session.connect();
  try {
    // The inspector reaches only what it can name.
    Reflect.set(globalThis, key, exchange);
    const named = `globalThis[Symbol.for(${JSON.stringify(key.description)})]`;
    const asked = post(session, 'Runtime.evaluate', {
      expression: `${named}.prototype`,
    }) as Evaluated; // its protocol
    const { objects } = post(session, 'Runtime.queryObjects', {
      prototypeObjectId: asked.result.objectId,
    }) as { objects: Evaluated['result'] }; // likewise
    post(session, 'Runtime.callFunctionOn', {
      objectId: objects.objectId,
      functionDeclaration: `function () { ${named}.found = [...this]; }`,
    });
    return exchange.found;
  } finally {
    Reflect.deleteProperty(globalThis, key);
    session.disconnect();
  }
}

/** On the thread of the session responses come at once. */
function post(session: Session, method: string, params: object): unknown {
  let response: unknown;
  session.post(method, params, (error: Error | null, result?: object) => {
    if (error) throw error;
    response = result;
  });
  return response;
}
