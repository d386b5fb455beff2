/**
 * Hands claimed rows over, message by message. Each message is read and composed once, within the
 * memory limit of the process.
 */
import type { HandOffRow, Service } from '../../core/context.ts'
import { composeEmail, withTextPart, type AdmittedEmail } from '../../core/sending/compose-email.ts'
import { makeReturnPath, type MailSource } from '../../core/sending/return-path.ts'
import { trackEmail } from '../../core/sending/track-email.ts'
import {
  messageAttachments,
  messageContents,
  type ClaimedRow,
  type MessageContent,
} from '../../db/sending/claims.ts'
import type { ComposedMessage } from '../../mail/mime/compose.ts'
import type { ProviderSlots } from './slots.ts'
import { readHead } from '../../core/presentation/message-head.ts'
import { domainOf } from '../../core/domain-of.ts'

/** Largest number of bytes that one statement reads, except for a single larger message. */
const bytesAtOnce = 8 * 1024 * 1024

interface Claimed {
  workspaceId: number
  claimed: ClaimedRow[]
  /** When the leases were requested, on the monotonic clock. */
  requestedAtMs: number
  /** Called when the outcome of a hand-off is recorded; hand-offs do not wait for each other. */
  onEnd: () => void
}

/** Returns how many rows were begun; the others did not fit the memory limit and are free again. */
export async function handOver(
  service: Service,
  slots: ProviderSlots,
  claim: Claimed,
): Promise<number> {
  const counted = claim.claimed.map((row) => {
    const mail = service.sending.count(claim.workspaceId)
    mail.handOff()
    return { ...row, mail }
  })
  const messages = [...Map.groupBy(counted, (row) => row.messageId).values()]
  const fitting = messages.filter(([row]) => slots.retainBytes(row?.bytes ?? 0))
  const unheld = messages.filter((rows) => !fitting.includes(rows)).flat()
  for (const group of groupsOf(fitting))
    unheld.push(...(await handOverGroup(service, slots, claim, group)))
  await Promise.all(
    unheld.map((row) => service.sending.returnRow(toHandOff(claim, row, nobody, neverComposed))),
  )
  return claim.claimed.length - unheld.length
}

type CountedRow = ClaimedRow & Required<Pick<HandOffRow, 'mail'>>

/** A message's claimed rows. */
type Rows = CountedRow[]

function groupsOf(messages: Rows[]): Rows[][] {
  const groups: Rows[][] = []
  let left = 0
  for (const rows of messages) {
    const bytes = rows[0]?.bytes ?? 0
    if (left < bytes || groups.length === 0) {
      groups.push([])
      left = bytesAtOnce
    }
    groups.at(-1)?.push(rows)
    left -= bytes
  }
  return groups
}

/** Returns the rows that were not begun, because their own copies did not fit. */
async function handOverGroup(
  service: Service,
  slots: ProviderSlots,
  claim: Claimed,
  group: Rows[],
): Promise<Rows> {
  const ids = group.flatMap(([row]) => row?.messageId ?? [])
  const contents = messageContents(service.db, claim.workspaceId, ids).then(
    (rows) => new Map(rows.map((row) => [row.messageId, row])),
  )
  const unheld: Rows = []
  for (const rows of group) {
    const { messageId = '', bytes = 0 } = rows[0] ?? {}
    const email = contents.then((known) =>
      readAdmitted(service, claim.workspaceId, known.get(messageId)),
    )
    // Recipients share one copy; of a tracked message, each has its own.
    const tracked = (await email.catch(() => null))?.head.track !== undefined
    for (const [index, sharing] of (tracked ? rows.map((row) => [row]) : [rows]).entries()) {
      if (index > 0 && !slots.retainBytes(bytes)) unheld.push(...sharing)
      else await handOverTogether(service, slots, claim, { rows: sharing, bytes, email })
    }
  }
  return unheld
}

interface Sharing {
  rows: Rows
  /** Reserved bytes of their mails. */
  bytes: number
  email: Promise<AdmittedEmail>
}

async function handOverTogether(
  service: Service,
  slots: ProviderSlots,
  claim: Claimed,
  { rows, bytes, email }: Sharing,
): Promise<void> {
  const mail = email.then((admitted) =>
    compose(service, claim.workspaceId, admitted, rows[0]?.position ?? 0),
  )
  // Awaited here, so that the provider counts it before the next claim; the hand-off reports its
  // error.
  const composed = await mail.catch(() => null)
  const composedBytes = composed?.bytes.length ?? 0
  slots.releaseBytes(bytes - composedBytes)
  const handOffs = rows.map((row) =>
    beginHandOff(
      service,
      claim,
      toHandOff(
        claim,
        row,
        composed ? senderOf(service, claim, row, composed) : nobody,
        () => mail,
      ),
    ),
  )
  void Promise.all(handOffs).then(() => slots.releaseBytes(composedBytes))
}

async function beginHandOff(service: Service, { onEnd }: Claimed, row: HandOffRow): Promise<void> {
  try {
    await service.sending.handOff(row)
  } catch (error) {
    service.log.error(
      { err: error, messageId: row.messageId },
      'An outcome was not recorded: its row becomes in doubt',
    )
  }
  onEnd()
}

type Sender = Pick<HandOffRow, 'returnPath' | 'notify' | 'headers' | 'fromDomain'>

/** The sender for rows that go back, or whose mail cannot be composed. */
const nobody: Sender = { returnPath: '', headers: '', fromDomain: '' }

interface Mail extends ComposedMessage {
  from: MailSource
}

async function readAdmitted(
  service: Service,
  workspaceId: number,
  content: MessageContent | undefined,
): Promise<AdmittedEmail> {
  if (!content) throw new Error('The message has no content')
  const { messageId, head, attachments, size, ...rest } = content
  const files = attachments ? await messageAttachments(service.db, workspaceId, messageId) : []
  // Nothing leaves without its texts and files, whatever has happened to their rows.
  if (size !== null && contentBytes({ ...rest, attachments: files }) < size)
    throw new Error('Texts or files of the message are missing')
  return withTextPart({ ...rest, id: messageId, head: readHead(head), attachments: files })
}

/** Bytes of the texts and files: as many as were admitted. */
const contentBytes = ({
  html,
  text,
  attachments,
}: Pick<AdmittedEmail, 'html' | 'text' | 'attachments'>): number =>
  attachments.reduce(
    (sum, { content }) => sum + content.length,
    Buffer.byteLength(html ?? '') + Buffer.byteLength(text ?? ''),
  )

async function compose(
  service: Service,
  workspaceId: number,
  email: AdmittedEmail,
  position: number,
): Promise<Mail> {
  const { from, returnPathHost } = email.head
  const domain = domainOf(from.address)
  const host =
    returnPathHost === undefined
      ? (await service.mailDomains.get(workspaceId, domain)).returnPathHost
      : returnPathHost
  return {
    ...composeEmail(trackEmail(service, { workspaceId, email, position })),
    from: { host, address: from.address, domain },
  }
}

const senderOf = (
  service: Service,
  { workspaceId }: Claimed,
  { messageId, position }: ClaimedRow,
  { from }: Mail,
): Sender => ({
  ...makeReturnPath(service, { from, subject: { workspaceId, messageId, position } }),
  fromDomain: from.domain,
})

function toHandOff(
  claim: Claimed,
  row: CountedRow,
  sender: Sender,
  composed: HandOffRow['compose'],
): HandOffRow {
  return {
    workspaceId: claim.workspaceId,
    messageId: row.messageId,
    position: row.position,
    fence: row.fence,
    attempt: row.attempts,
    requestedAtMs: claim.requestedAtMs,
    recipient: row.email,
    mail: row.mail,
    ...sender,
    compose: composed,
  }
}

function neverComposed(): never {
  throw new Error('A row that goes back is not composed')
}
