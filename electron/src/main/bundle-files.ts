// From routes of the service into files that the user picks: big ones never pass through the window.
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type BrowserWindow, dialog } from 'electron';
import * as z from 'zod';
import type { RequestInput } from '../ipc/channels.ts';
import type { SavedFile } from '../ipc/contract.ts';
import { forward } from './api-forward.ts';
import type { ApiTarget } from './api-target.ts';
import { DesktopFailure } from './desktop-failure.ts';

const filters = [
  { name: 'Bundles', extensions: ['gz', 'bundle'] },
  { name: 'All files', extensions: ['*'] },
];

const refusalSchema = z.object({ code: z.string(), message: z.string() });

/** Asks for a file and writes the route's response into it; null when the user cancels. */
export async function saveBundle(
  { path, suggestedName, principal }: RequestInput<'files:save-bundle'>,
  window: BrowserWindow,
  target: ApiTarget,
): Promise<SavedFile | null> {
  const { canceled, filePath: file } = await dialog.showSaveDialog(window, {
    defaultPath: suggestedName,
    filters,
  });
  if (canceled || file === '') return null;
  const response = await forward(request(principal), path, target);
  if (!response.ok || response.body === null) throw await failureOf(response);
  const partial = `${file}.part`;
  try {
    const body = Readable.fromWeb(response.body);
    await pipeline(body, createWriteStream(partial));
    await rename(partial, file);
  } catch (cause) {
    await rm(partial, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DesktopFailure('not_possible', `${file} was not written: ${reason}`, { cause });
  }
  return { file, bytes: (await stat(file)).size };
}

function request(principal: string | undefined): Request {
  const headers = principal === undefined ? {} : { 'X-Test-Principal': principal };
  // The URL is never used: the forwarder has its own.
  return new Request('http://127.0.0.1/', { headers });
}

async function failureOf(response: Response): Promise<DesktopFailure> {
  const body = refusalSchema.safeParse(asJson(await response.text())).data;
  return new DesktopFailure(
    body?.code ?? 'not_possible',
    body?.message ?? `HTTP ${response.status}`,
  );
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
