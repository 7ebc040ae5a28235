import { describe, expect, it } from 'vitest';
import { parseLogLine } from './log-lines.ts';

const time = '2026-01-02T03:04:05.006Z';
const ts = Date.parse(time);

describe('a line of the log', () => {
  it('keeps its level, message and fields', () => {
    const line = JSON.stringify({ level: 'warn', time, run_id: 'r', msg: 'run failed' });
    expect(parseLogLine(line)).toEqual({
      ts,
      level: 'warn',
      source: 'server',
      message: 'run failed',
      fields: { run_id: 'r' },
    });
  });

  it('is the agent’s own text where an agent wrote it', () => {
    const guest = { language: 'python', guest_pid: 42 };
    const about = { run_id: 'r', ...guest, stream: 'stderr', text: 'Traceback' };
    expect(
      parseLogLine(JSON.stringify({ level: 'info', time, ...about, msg: 'agent output' })),
    ).toEqual({
      ts,
      level: 'warn',
      source: 'guest:python:42',
      message: 'Traceback',
      fields: { run_id: 'r', stream: 'stderr' },
    });
  });

  it('is the engine’s where it is about the engine', () => {
    const line = JSON.stringify({ level: 'info', time, msg: 'engine ready', pid: 1 });
    expect(parseLogLine(line)).toMatchObject({ source: 'engine', message: 'engine ready' });
  });

  it('is shown as it is when it is no record', () => {
    expect(parseLogLine('Killed\n')).toMatchObject({ source: 'server', message: 'Killed' });
  });
});
