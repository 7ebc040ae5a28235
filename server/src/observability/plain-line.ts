const hidden = new Set(['level', 'time', 'msg', 'err']);

function asRecord(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  // A JSON object, whose keys are strings.
  return value as Record<string, unknown>;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fieldText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}

function parseRecord(line: string): Record<string, unknown> | undefined {
  try {
    return asRecord(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Formats one JSON log line for people: time, level, message, `key=value` fields. */
export function formatPlainLine(line: string, options: { isWithStack: boolean }): string {
  const record = parseRecord(line);
  if (record === undefined) return line;
  const time = textOf(record['time']).slice(11, 23);
  const level = textOf(record['level']).toUpperCase().padEnd(5);
  const parts = [`${time} ${level} ${textOf(record['msg'])}`];
  for (const [key, value] of Object.entries(record)) {
    if (!hidden.has(key) && value !== undefined) parts.push(`${key}=${fieldText(value)}`);
  }
  const error = asRecord(record['err']);
  if (error !== undefined) parts.push(`error=${fieldText(error['message'])}`);
  const stack = options.isWithStack ? error?.['stack'] : undefined;
  return `${parts.join(' ')}\n${typeof stack === 'string' ? `${stack}\n` : ''}`;
}
