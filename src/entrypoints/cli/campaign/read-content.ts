/** Reads a campaign's content from a file: a text, a document, or blocks as JSON. */
import { readFile } from 'node:fs/promises'
import { CommandRefusal } from '../refusal.ts'

/** Exactly one of them makes a campaign. */
export type ContentFiles = Record<'text' | 'content' | 'html', string | null>

/** The contents of the files, as the API takes them; files that were not named are absent. */
export async function readContent(
  files: ContentFiles,
): Promise<{ text?: string; content?: unknown; html?: string }> {
  return {
    ...(files.text !== null && { text: await read(files.text) }),
    ...(files.content !== null && { content: await readJsonFile(files.content) }),
    ...(files.html !== null && { html: await read(files.html) }),
  }
}

export function validateContentFlags(files: ContentFiles): void {
  const flags = Object.values({
    text: files.text,
    content: files.content,
    html: files.html,
  }).filter((file) => file !== null)
  if (flags.length > 1)
    throw new CommandRefusal('usage', 'Give one of --text, --content and --html.')
}

/** The JSON that a file holds. */
export const readJsonFile = async (file: string): Promise<unknown> => parse(await read(file), file)

async function read(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    const why =
      error instanceof Error && 'code' in error && error.code === 'ENOENT'
        ? 'there is no such file'
        : 'it cannot be read'
    throw new CommandRefusal(
      'not_found',
      `${file}: ${error instanceof TypeError ? 'it is not UTF-8' : why}.`,
    )
  }
}

function parse(text: string, file: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch (error) {
    throw new CommandRefusal(
      'refused',
      `${file} is not JSON: ${error instanceof Error ? error.message : ''}`,
    )
  }
}
