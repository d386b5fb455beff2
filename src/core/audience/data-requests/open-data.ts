/**
 * Gives a contact what is stored about them, by the link that was mailed to them. A link works
 * once, and so does that of the file to which its page leads.
 *
 * 1. check the link
 * 2. read everything, of one moment, where segments are counted: the sending of mail waits for none,
 *    and many requests by one link take turns
 * 3. use the link up, with its evidence and the entry of the audit log: a process that is killed
 *    before has shown nothing, and the link still works
 */
import { retrying } from '../../../database/client/retrying.ts'
import { isDataLinkOpen, type DataLink } from '../../../db/audience/data-requests.ts'
import { lockSubscriber, subscriberById } from '../../../db/audience/subscribers.ts'
import { insertChoiceEvidence } from '../../../db/audience/topic-choices.ts'
import { workspaceSettings } from '../../../db/workspaces/workspace-settings.ts'
import type { Database } from '../../../database/client/database.ts'
import type { LinkSubject } from '../../../ground/link-tokens.ts'
import type { Context } from '../../context.ts'
import { inTurnOfWorkspace } from '../segments/in-turn.ts'
import { readContactExport } from '../contacts/read-contact-export.ts'
import { recordContactAct } from './contact-acts.ts'
import { presentReaderData, type ReaderData } from './present-reader-data.ts'

/** What the link leads to: the page, or the file that the page leads to. */
export type DataForm = 'page' | 'file'

const acts = {
  page: { act: 'data_requested', next: 'data_opened' },
  file: { act: 'data_opened', next: 'data_downloaded' },
} as const satisfies Record<DataForm, Pick<DataLink, 'act' | 'next'>>

interface Opening {
  /** From a token with purpose `data`. */
  subject: LinkSubject
  form: DataForm
  /** The words beside the button. */
  shown: string
  ip: string
  userAgent: string | null
}

export interface OpenedData {
  contact: ReaderData
  /** Leads to the file, once. */
  fileToken: string
}

/** Whether a link works now. */
export async function mayOpenData(
  { db }: { db: Database },
  { subject, form }: Pick<Opening, 'subject' | 'form'>,
): Promise<boolean> {
  const { workspaceId, first: subscriberId, second: id } = subject
  const { dataRequests } = await workspaceSettings(db, workspaceId)
  return dataRequests && isDataLinkOpen(db, workspaceId, { id, subscriberId, ...acts[form] })
}

/**
 * Null where the link does not work, or no longer. Throws `rate_limit_exceeded` where too many of the
 * workspace wait.
 */
export const openData = (
  ctx: Pick<Context, 'db' | 'segmentDb' | 'makeId' | 'linkTokens' | 'failpoints'>,
  opening: Opening,
): Promise<OpenedData | null> =>
  inTurnOfWorkspace({ workspaceId: opening.subject.workspaceId }, () => readOnce(ctx, opening))

async function readOnce(
  ctx: Parameters<typeof openData>[0],
  opening: Opening,
): Promise<OpenedData | null> {
  const { workspaceId, first: subscriberId } = opening.subject
  if (!(await mayOpenData(ctx, opening))) return null
  const subscriber = await subscriberById(ctx.db, workspaceId, subscriberId)
  const { email = '' } = subscriber ?? {}
  const contact = await readContactExport(ctx.segmentDb, { workspaceId, email })
  await ctx.failpoints?.hit('data.read')
  const id = ctx.makeId()
  const used = await retrying(() => ctx.db.transaction((tx) => useLink(ctx, tx, id, opening)))
  if (!contact || !used) return null
  const fileToken = ctx.linkTokens.make('data', { workspaceId, first: subscriberId, second: id })
  return { contact: presentReaderData(contact), fileToken }
}

/** False where another request was first. */
async function useLink(
  ctx: Pick<Context, 'makeId' | 'failpoints'>,
  tx: Database,
  id: string,
  { subject, form, shown, ip, userAgent }: Opening,
): Promise<boolean> {
  const { workspaceId, first: subscriberId } = subject
  if ((await lockSubscriber(tx, workspaceId, subscriberId)) === null) return false
  if (!(await mayOpenData({ db: tx }, { subject, form }))) return false
  if (ctx.failpoints?.broken('data.use')) return true
  await insertChoiceEvidence(tx, workspaceId, [
    {
      ...{ id, subscriberId, act: acts[form].next, topic: null, shown, source: 'link' },
      ...{ ip, userAgent, campaignId: null },
    },
  ])
  const act = 'subscriber.data_opened'
  await recordContactAct(ctx, tx, { workspaceId, act, subject: subscriberId })
  return true
}
