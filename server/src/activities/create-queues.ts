/** Makes a queue for each key: calls with the same key run one after the other, in the order of arrival. */
export function createQueues(): <T>(key: string, call: () => Promise<T>) => Promise<T> {
  const ends = new Map<string, Promise<unknown>>();
  return (key, call) => {
    const result = (ends.get(key) ?? Promise.resolve()).then(call);
    const end = result.then(
      () => undefined,
      () => undefined,
    );
    ends.set(key, end);
    void end.then(() => {
      if (ends.get(key) === end) ends.delete(key);
    });
    return result;
  };
}
