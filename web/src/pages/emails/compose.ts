/** A single e-mail as its form holds it, and as the contract takes it. */
import type { CallInput } from '../../api/client.ts'
import type { Block } from '../campaigns/editor/blocks.ts'

/** The names are those of the contract, so that a refusal finds its field. */
export interface Written {
  from: string
  /** Addresses between commas, semicolons or lines. */
  to: string
  cc: string
  subject: string
  kind: 'text' | 'content'
  text: string
  attachments: File[]
  /** As the input of the browser has it, in the reader's zone. Empty means at once. */
  scheduled_at: string
}

/** Reads the files, so it takes their time. */
export async function writeMail(
  { from, to, cc, subject, kind, text, attachments, scheduled_at: at }: Written,
  blocks: readonly Block[],
): Promise<CallInput<'sendEmail'>['body']> {
  const copies = addressesIn(cc)
  return {
    ...{ from, to: addressesIn(to), subject },
    ...(copies.length > 0 && { cc: copies }),
    ...(kind === 'text' ? { text } : { content: [...blocks] }),
    ...(attachments.length > 0 && { attachments: await Promise.all(attachments.map(readFile)) }),
    ...(at !== '' && { scheduled_at: new Date(at).toISOString() }),
  }
}

/** A comma within quotes is part of a name (RFC 5322 3.4). */
export const addressesIn = (text: string): string[] =>
  (text.match(/(?:"[^"]*"|[^",;\n])+/g) ?? []).flatMap((each) =>
    each.trim() === '' ? [] : [each.trim()],
  )

export const bytesOf = (files: readonly File[]): number =>
  files.reduce((sum, { size }) => sum + size, 0)

async function readFile(file: File): Promise<{ filename: string; content: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  // Parts of three bytes follow each other without padding between them.
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += partBytes)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + partBytes))))
  return { filename: file.name, content: parts.join('') }
}

/** A function takes some ten thousand arguments. */
const partBytes = 3 * 4_096
