/**
 * POST /subscribers/imports: stores the file of a program and begins its import, by the same steps
 * as a user's file on the pages.
 */
import { csvFault, dropStoredFile, storeImportFile } from '../upload-import.ts'
import { readHeader } from '../../../../ground/csv/read-file.ts'
import type { SubscriberImportRequest } from '../../../../contract/subscriber-imports.ts'
import type { CallContext } from '../../../context.ts'
import { refuseControls } from '../../../input/check-values.ts'
import { shapeError } from '../../../input/shape-error.ts'
import type { Verb } from '../../../verb.ts'
import { chooseTargets } from '../columns/choose-targets.ts'
import { readPlan } from '../read-plan.ts'
import { scheduleImport } from '../schedule-import.ts'
import { presentSubscriberImport } from './get-subscriber-import.ts'

export const createSubscriberImport: Verb<'createSubscriberImport'> = async (ctx, { body }) => {
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
  await readPlan(ctx, plan)
  const { id } = await storeImportFile(ctx, { name, file: pieces(bytes) })
  await begin(ctx, id, plan)
  return { body: await presentSubscriberImport(ctx, id) }
}

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

async function begin(
  ctx: CallContext,
  id: string,
  plan: Parameters<typeof scheduleImport>[1]['plan'],
): Promise<void> {
  try {
    await scheduleImport(ctx, { id, plan, state: 'importing' })
  } catch (error) {
    await dropStoredFile(ctx, id)
    throw error
  }
}

const pieceBytes = 512 * 1024

// oxlint-disable-next-line require-await -- files come as streams
async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += pieceBytes)
    yield bytes.subarray(from, from + pieceBytes)
}
