import * as z from 'zod';
import type { LogLine } from '../ipc/contract.ts';

const recordSchema = z.looseObject({
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']),
  time: z.string(),
  msg: z.string().default(''),
});

/** One line of the server's JSON log as the window shows it. */
export function parseLogLine(line: string): Omit<LogLine, 'id'> {
  const record = recordSchema.safeParse(asJson(line)).data;
  if (record === undefined) {
    return { ts: Date.now(), level: 'info', source: 'server', message: line.trimEnd(), fields: {} };
  }
  const { level, time, msg, ...fields } = record;
  const at = Date.parse(time);
  const ts = Number.isNaN(at) ? Date.now() : at;
  const severity = level === 'fatal' ? 'error' : level;
  // What an agent wrote is the line; the rest of the record names the agent process and the run.
  if (msg === 'agent output' && typeof fields['text'] === 'string') {
    const { text, language, guest_pid: pid, ...about } = fields;
    const kind = typeof language === 'string' ? language : 'agent';
    const source = `guest:${kind}${typeof pid === 'number' ? `:${pid}` : ''}`;
    const isError = about['stream'] === 'stderr';
    return { ts, level: isError ? 'warn' : 'info', source, message: text, fields: about };
  }
  const source = msg.startsWith('engine') ? 'engine' : 'server';
  return { ts, level: severity, source, message: msg, fields };
}

function asJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
