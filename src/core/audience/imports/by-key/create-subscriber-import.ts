/**
 * POST /subscribers/imports: stores the file of a program and begins its import, by the same steps
 * as a user's file on the pages. A repeated call finds the import of the first.
 */
import { createHash } from 'node:crypto'
import type { Database } from '../../../../database/client/database.ts'
import { confirmationPaceOf } from '../../../../db/audience/confirmation-pace.ts'
import { readHeader } from '../../../../ground/csv/read-file.ts'
import type { ImportPlan } from '../../../../contract/workspace/imports.ts'
import { refuseLateConfirmation } from '../../consent/confirmation-times.ts'
import {
  KeyTaken,
  claimKey,
  earlierAnswer,
  readKeyedCall,
  type KeyedCall,
} from '../../keyed-call.ts'
import { csvFault, dropStoredFile, storeImportFile } from '../upload-import.ts'
import type { SubscriberImportRequest } from '../../../../contract/subscriber-imports.ts'
import type { CallContext } from '../../../context.ts'
import { refuseControls } from '../../../input/check-values.ts'
import { shapeError } from '../../../input/shape-error.ts'
import type { Verb } from '../../../verb.ts'
import { chooseTargets } from '../columns/choose-targets.ts'
import { fileById } from '../../../../db/audience/subscriber-files.ts'
import { readPlan } from '../read-import-plan.ts'
import { scheduleImport } from '../schedule-import.ts'
import { presentSubscriberImport } from './get-subscriber-import.ts'

export const createSubscriberImport: Verb<'createSubscriberImport'> = async (
  ctx,
  { body, headers },
) => {
  const keyed = readKeyedCall(headers['idempotency-key'], () => ['import', withDigest(body)])
  for (;;) {
    // Written by `begin()` for the same body.
    const earlier = keyed && ((await earlierAnswer(ctx, keyed)) as { id: string } | null)
    if (earlier)
      return {
        body: await presentSubscriberImport(ctx, earlier.id),
        headers: { 'Idempotent-Replay': 'true' },
      }
    const id = await startNew(ctx, body, keyed)
    if (id !== null) return { body: await presentSubscriberImport(ctx, id) }
  }
}

/** Null if a call with the same key committed first, and nothing of this one is stored. */
async function startNew(
  ctx: CallContext,
  body: SubscriberImportRequest,
  keyed: KeyedCall | null,
): Promise<string | null> {
  const bytes = Buffer.from(body.csv)
  const plan = {
    targets: chooseTargets(await headersOf(bytes), body.columns ?? {}),
    tags: body.tags ?? [],
    consent: readConsent(body),
    ...(body.status_words && { status_words: body.status_words }),
    ...(body.tag_separators && { tag_separators: body.tag_separators }),
  }
  const { name = 'contacts.csv' } = body
  refuseControls(name, 'name')
  // Refused before the file is stored.
  if (body.double_opt_in)
    refuseLateConfirmation(await confirmationPaceOf(ctx.db, ctx.workspaceId), 0)
  await readPlan(ctx, plan)
  const { id } = await storeImportFile(ctx, { name, file: pieces(bytes) })
  return (await begin(ctx, { id, plan, keyed })) ? id : null
}

/** The call with its file as a digest: nobody writes thirty megabytes as JSON again. */
const withDigest = ({ csv, ...call }: SubscriberImportRequest): object => ({
  ...call,
  csv: createHash('sha256').update(csv).digest('hex'),
})

/** `double_opt_in` is always written: a file has no default that subscribes or asks thousands. */
function readConsent({ double_opt_in: asks, consent }: SubscriberImportRequest): string | null {
  if (asks && consent !== undefined)
    throw shapeError([{ path: 'consent', rule: 'consent_not_needed' }])
  if (!asks && consent === undefined)
    throw shapeError([{ path: 'consent', rule: 'consent_needed' }])
  return consent ?? null
}

async function headersOf(bytes: Buffer): Promise<string[]> {
  try {
    const { header } = await readHeader(() => pieces(bytes))
    return header.values.map((value) => value.trim())
  } catch (error) {
    throw csvFault(error)
  }
}

/** Begins the import of the stored file, whose key the same transaction claims. */
async function begin(
  ctx: CallContext,
  { id, plan, keyed }: { id: string; plan: ImportPlan; keyed: KeyedCall | null },
): Promise<boolean> {
  const inSameTransaction = async (tx: Database): Promise<void> => {
    if (keyed) await claimKey(ctx, tx, { ...keyed, answer: { id } })
  }
  try {
    await scheduleImport(ctx, { id, plan, state: 'importing', inSameTransaction })
    return true
  } catch (error) {
    // What fails behind the commit leaves a file that is being imported.
    if ((await fileById(ctx.db, ctx.workspaceId, id))?.state === 'importing') return true
    await dropStoredFile(ctx, id)
    if (error instanceof KeyTaken) return false
    throw error
  }
}

const pieceBytes = 512 * 1024

// oxlint-disable-next-line require-await -- files come as streams
async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += pieceBytes)
    yield bytes.subarray(from, from + pieceBytes)
}
