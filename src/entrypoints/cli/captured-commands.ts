/** `facteur captured …`: the mails that the capture mailbox stored instead of sending. */
import { expiredAt, limitOf } from '../../core/presentation/expiry.ts'
import { subjectOf } from '../../core/presentation/subject-of.ts'
import { capturedMail, capturedPage, type CapturedRow } from '../../db/captured/captured-mails.ts'
import { isId, timeOfId } from '../../ground/ids.ts'
import { keysetPages, type KeysetPage } from './keyset-pages.ts'
import { textFlag } from './parameters.ts'
import { CommandRefusal } from './refusal.ts'
import { listed, shownNumber, shownTime } from './result.ts'
import { defineWorkspaceCommand } from './workspace-command.ts'

const capturedList = defineWorkspaceCommand({
  name: 'captured list',
  summary: 'List the captured mails of a workspace, newest first',
  examples: ['captured list --workspace acme'],
  run: (ctx) =>
    listed({
      pages: keysetPages(
        (page: KeysetPage) => capturedPage(ctx.db, ctx.workspace.id, page),
        ({ at, id }) => ({ at, id }),
      ),
      columns: [
        { title: 'ID', cell: ({ id }) => id },
        { title: 'CAPTURED (UTC)', cell: ({ capturedAt }) => shownTime(capturedAt) },
        { title: 'RECIPIENT', cell: ({ recipient }) => recipient },
        { title: 'BYTES', right: true, cell: ({ size }) => shownNumber(size) },
        { title: 'SUBJECT', cell: subjectOf },
      ],
      json: (mail) => ({ ...toJson(mail), subject: subjectOf(mail) }),
      empty: 'No mail was captured. Without FACTEUR_SMTP_URL, every mail is.',
    }),
})

const capturedRaw = defineWorkspaceCommand({
  name: 'captured raw',
  summary: 'Write the exact bytes of a captured mail to standard output',
  note: 'With --json they are in base64.',
  arguments: { ID: textFlag('ID', 'The id that captured list shows; absent: the newest mail.') },
  examples: [
    'captured raw --workspace acme > newest.eml',
    'captured raw --workspace acme 019aa3c2-7f6e-7d10-8a44-2f3f5d1c9b70',
  ],
  run: async ({ db, workspace }, { ID }) => {
    const ctx = { db, workspaceId: workspace.id }
    const id = ID ?? (await capturedPage(db, workspace.id, { max: 1, before: null }))[0]?.id
    if (id === undefined)
      throw new CommandRefusal('not_found', `No mail of ${workspace.slug} was captured.`)
    const mail = isId(id) ? await capturedMail(db, workspace.id, id) : null
    const expired =
      mail || !isId(id) ? null : expiredAt(await limitOf(ctx, 'captured'), new Date(timeOfId(id)))
    if (expired)
      throw new CommandRefusal(
        'not_found',
        `The captured mail "${id}" expired on ${shownTime(new Date(expired))} UTC.`,
      )
    if (!mail)
      throw new CommandRefusal(
        'not_found',
        `${workspace.slug} has no captured mail "${id}": "facteur captured list --workspace ${workspace.slug}" shows all.`,
      )
    return {
      kind: 'raw',
      bytes: mail.raw,
      json: { ...toJson(mail), raw: mail.raw.toString('base64') },
    }
  },
})

const toJson = (mail: CapturedRow) => ({
  id: mail.id,
  email_id: mail.messageId,
  campaign_id: mail.campaignId,
  return_path: mail.returnPath,
  recipient: mail.recipient,
  size: mail.size,
  captured_at: mail.capturedAt.toISOString(),
})

export const capturedCommands = [capturedList, capturedRaw]
