/**
 * Fetches the attachments that a call gives by their addresses (security: What goes out).
 *
 * 1. count them against the workspace's rate, over all processes
 * 2. wait for one of the workspace's slots, then for memory: all that the files may take
 * 3. fetch one after the other, within one time and one number of bytes
 *
 * A file that does not come whole refuses the call, by a sentence that says nothing of the answer:
 * callers learn about no host what they cannot ask it themselves.
 */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { AdmissionAttachment } from '../../db/sending/admissions.ts'
import type { OutboundAnswer } from '../../ground/outbound/create-outbound.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../input/shape-error.ts'
import { countFetches } from './count-fetches.ts'
import type { EmailToSend } from './read-email.ts'
import { bytesOf, type FileLink } from './read-files.ts'

/**
 * Calls `work` with the email and its fetched files, whose memory is reserved until it ends. Throws
 * `validation_error` at the first file that does not come, `rate_limit_exceeded` beyond the
 * workspace's rate, and `internal_error` when the process is out of memory for them.
 */
export async function withFetchedFiles<T>(
  ctx: CallContext,
  { email, work }: { email: EmailToSend; work: (fetched: EmailToSend) => Promise<T> },
): Promise<T> {
  const { files, links = [] } = email
  await countFetches(ctx, links.length)
  const bytesMax = limits.fetchedBytesMax - bytesOf(files)
  const freeSlot = await ctx.fetchSlots.take(ctx.workspaceId)
  const release = await reserve(ctx, bytesMax).catch((error: unknown) => {
    freeSlot()
    throw error
  })
  try {
    const fetched = await fetchAll(ctx, links, bytesMax).finally(freeSlot)
    return await work({ ...email, files: inOrder(files, fetched) })
  } finally {
    release()
  }
}

/** As for a body that finds no memory: the caller is asked to come again. */
const retryAfterSeconds = 5

/** Returns what releases the memory. */
async function reserve({ reserveMemory }: CallContext, bytes: number): Promise<() => void> {
  const release = reserveMemory ? await reserveMemory(bytes) : () => undefined
  if (release === null) throw new ApiError('internal_error', { reason: 'busy' }, retryAfterSeconds)
  return release
}

type FetchedFile = AdmissionAttachment & { index: number }

/** One after the other: the time and the bytes are for all together. */
async function fetchAll(
  ctx: CallContext,
  links: FileLink[],
  bytesMax: number,
): Promise<FetchedFile[]> {
  const endsAtMs = ctx.clock.monotonicMs() + limits.fetchSecondsMax * 1_000
  const fetched: FetchedFile[] = []
  let readMax = bytesMax
  for (const { url, ...file } of links) {
    const withinMs = endsAtMs - ctx.clock.monotonicMs()
    const content = withinMs > 0 ? await fetchFile(ctx, url, { withinMs, readMax }) : null
    if (content === null) throw notFetched(file)
    readMax -= content.length
    fetched.push({ ...file, content })
  }
  return fetched
}

/** Null if it did not come whole. */
async function fetchFile(
  { outbound, log, workspaceId }: CallContext,
  url: string,
  within: { withinMs: number; readMax: number },
): Promise<Buffer | null> {
  const headers = { accept: '*/*', 'accept-encoding': 'identity' }
  const answer = await outbound.send({ method: 'GET', url: new URL(url), headers, ...within })
  if (answer.kind === 'answered' && isWhole(answer)) return answer.body
  const cause = answer.kind === 'answered' ? { status: answer.status } : { reason: answer.reason }
  log.info({ workspaceId, host: new URL(url).host, ...cause }, 'A file was not fetched')
  return null
}

/** A compressed file is none of those that its bytes were counted as. */
function isWhole({ status, truncated, headers }: OutboundAnswer & { kind: 'answered' }): boolean {
  const encoding = [headers['content-encoding'] ?? 'identity'].flat().join()
  return status === 200 && !truncated && encoding.trim().toLowerCase() === 'identity'
}

const notFetched = ({ index }: { index: number }): ApiError =>
  shapeError([{ path: `attachments.${index}.path`, rule: 'attachment_fetch' }])

/** The files as the request has them: those that came with it fill the places between. */
function inOrder(files: AdmissionAttachment[], fetched: FetchedFile[]): AdmissionAttachment[] {
  const all = [...files]
  for (const { index, ...file } of fetched) all.splice(index, 0, file)
  return all
}
