/**
 * Receives one Amazon SES notice, from HTTP or from a queue.
 *
 * 1. parse it: an SNS envelope or, only from a queue, a bare event
 * 2. verify it: listed topic, SNS certificate, signature (security: SES notices)
 * 3. find the recipient by our own signed tag alone; an account may report only about the
 *    workspaces that use it
 * 4. in one transaction: store it, if it is new and not too old, with its feedback
 */
import {
  attemptTagPurpose,
  createAttemptTags,
  type AttemptTags,
} from '../../../providers/amazon-ses/attempt-tag.ts'
import type { FeedbackSource } from '../../../providers/providers.ts'
import { insertSesNotice } from '../../../db/feedback/ses-notices.ts'
import { ofWorkspace } from '../../databases.ts'
import type { Service } from '../../context.ts'
import { recordFeedback } from '../record-feedback.ts'
import { confirmSubscription } from './confirm-subscription.ts'
import { createAcceptTopic, type AcceptTopic } from './accept-topic.ts'
import { readSesEvent, type SesFeedback } from './read-ses-event.ts'
import { createFindCertificate, type FindCertificate } from './signing-certificates.ts'
import { readSnsEnvelope, type SnsEnvelope } from './sns-envelope.ts'
import { ageMaxSeconds, NotAdmitted, verdictOf, type ReceivedNotice } from './receipt.ts'
import { verifyNotice } from './verify-notice.ts'
import { parseJson } from '../../../ground/read-json.ts'

/**
 * The way of a notice: an HTTP request of an unknown sender, or an account's queue, with its
 * identifier there.
 */
export type Way = { kind: 'http' } | { kind: 'queue'; source: FeedbackSource; id: string }

export type ReceiveNotice = (body: Buffer | string, way: Way) => Promise<ReceivedNotice>

interface NoticeParts {
  ctx: Service
  tags: AttemptTags
  findCertificate: FindCertificate
  acceptTopic: AcceptTopic
}

/** Refused and postponed notices are logged with their reasons. */
export function createReceiveNotice(ctx: Service): ReceiveNotice {
  const parts: NoticeParts = {
    ctx,
    tags: createAttemptTags(ctx.secrets.derive(attemptTagPurpose)),
    findCertificate: createFindCertificate(ctx),
    acceptTopic: createAcceptTopic(ctx),
  }
  return async (body, way) => {
    const json = parseJson(body.toString())
    const envelope = readSnsEnvelope(json)
    const taken = envelope
      ? await takeEnvelope(parts, envelope, way)
      : await takeBare(parts, json, way)
    if (taken.kind !== 'taken') {
      const about = {
        via: way.kind,
        notice: envelope?.messageId ?? null,
        topic: envelope?.topicArn ?? null,
      }
      ctx.log.warn(
        { ...about, why: taken.why },
        taken.kind === 'later' ? 'A notice must be sent again' : 'A notice was refused',
      )
    }
    return taken
  }
}

async function takeEnvelope(
  parts: NoticeParts,
  envelope: SnsEnvelope,
  way: Way,
): Promise<ReceivedNotice> {
  const { ctx, findCertificate } = parts
  const listed = way.kind === 'queue' ? [way.source] : ctx.providers.feedbackSources()
  // A refusal would delete it from the queue; the operator can still list the topic while the queue
  // has it.
  if (way.kind === 'queue' && way.source.settings.topicArns.length === 0)
    return { kind: 'later', why: 'it came in an envelope of SNS, and no topic is listed' }
  const verified = await verifyNotice(envelope, { listed, findCertificate })
  if (verified.kind !== 'genuine') return verified
  if (envelope.type !== 'Notification') {
    if (way.kind === 'queue')
      return { kind: 'refused', why: 'a queue has no subscription to confirm' }
    return confirmSubscription(ctx, { envelope, accept: parts.acceptTopic })
  }
  const taken = await takeEvent(parts, parseJson(envelope.message), {
    ...{ sources: verified.sources, id: envelope.messageId, sentAt: envelope.sentAt },
    ageMaxSeconds: way.kind === 'http' ? ageMaxSeconds : null,
    bytes: envelope.message,
  })
  if (taken.kind === 'taken' && way.kind === 'http')
    await parts.acceptTopic(envelope.topicArn, null)
  return taken
}

/**
 * Handles raw message delivery: it has no signature, but only authorized senders can write to the
 * queue.
 */
function takeBare(parts: NoticeParts, json: unknown, way: Way): Promise<ReceivedNotice> {
  if (way.kind === 'http')
    return Promise.resolve({ kind: 'refused', why: 'it is no notice of Amazon SNS' })
  const sentAt = parts.ctx.clock.now()
  return takeEvent(parts, json, {
    ...{
      sources: [way.source],
      id: `queue ${way.id}`,
      sentAt,
      ageMaxSeconds: null,
      bytes: JSON.stringify(json),
    },
  })
}

interface Genuine {
  sources: FeedbackSource[]
  id: string
  sentAt: Date
  ageMaxSeconds: number | null
  bytes: string
}

async function takeEvent(
  parts: NoticeParts,
  json: unknown,
  notice: Genuine,
): Promise<ReceivedNotice> {
  const event = readSesEvent(json)
  if (event === null) return { kind: 'refused', why: 'it is no event of Amazon SES' }
  if (event.kind === 'nothing') {
    parts.ctx.log.debug({ notice: notice.id, why: event.why }, 'A notice changes nothing')
    return { kind: 'taken' }
  }
  if (event.tag === null)
    return {
      kind: 'refused',
      why: 'it has no tag of ours: it is about no mail of ours, or came without tags',
    }
  const attempt = parts.tags.read(event.tag)
  if (attempt === null) return { kind: 'refused', why: 'its tag was not made by us' }
  const { workspaceId, target } = attempt
  if (
    !notice.sources.some(
      (source) => source.workspaceId === null || source.workspaceId === workspaceId,
    )
  )
    return { kind: 'refused', why: 'its account is that of another workspace' }
  return record(parts, { workspaceId, target, feedback: event.feedback, notice })
}

type Attempted = Pick<NonNullable<ReturnType<AttemptTags['read']>>, 'workspaceId' | 'target'>

async function record(
  { ctx }: NoticeParts,
  { workspaceId, target, feedback, notice }: Attempted & { feedback: SesFeedback; notice: Genuine },
): Promise<ReceivedNotice> {
  // For a success, the row says everything, so the raw notice is stored only for failures.
  const raw =
    feedback.kind === 'sent' || feedback.kind === 'delivered'
      ? {}
      : { raw: { id: notice.id, bytes: Buffer.from(notice.bytes) } }
  try {
    const { refused } = await recordFeedback(await ofWorkspace(ctx, workspaceId), {
      workspaceId,
      feedback: [{ source: 'amazon-ses', target, ...feedback, ...raw }],
      inSameTransaction: async (tx) => {
        const verdict = await insertSesNotice(tx, notice)
        if (verdict !== 'fresh') throw new NotAdmitted(verdict)
      },
    })
    for (const { why } of refused)
      ctx.log.info({ notice: notice.id, workspaceId, why }, 'A notice changed no status')
    return { kind: 'taken' }
  } catch (error) {
    if (!(error instanceof NotAdmitted)) throw error
    return verdictOf(ctx, { id: notice.id, verdict: error.verdict })
  }
}
