/**
 * Makes the events of envelopes: the event's own details, and the data that all `email.*` events
 * share (semantics 4: Event data).
 */
import type { EventType } from '../../contract/events.ts'
import type { Database } from '../../database/client/database.ts'
import {
  campaignFacts,
  messageFacts,
  type CampaignFacts,
  type MessageFacts,
} from '../../db/events/event-facts.ts'
import { campaignMessageId } from '../../mail/campaign/campaign-headers.ts'
import { fillTags } from '../../mail/merge/merge-tags.ts'
import { rfc3339 } from '../input/read-time.ts'
import type { FeedbackTarget } from '../feedback-target.ts'
import type { NewEvent } from './publish-events.ts'
import { readHead } from '../presentation/message-head.ts'
import { domainOf } from '../domain-of.ts'

type EmailEventType = Extract<EventType, `email.${string}`>

/** One event of an envelope, with the details that only its type has. */
export interface EmailHappening<Type extends EmailEventType = EmailEventType> {
  type: Type
  target: FeedbackTarget
  detail?: object
}

/** Returns events in the given order; an unknown envelope has none. */
export async function emailEvents<Type extends EmailEventType>(
  tx: Database,
  workspaceId: number,
  happenings: EmailHappening<Type>[],
): Promise<NewEvent<Type>[]> {
  if (happenings.length === 0) return []
  const targets = happenings.map(({ target }) => target)
  const facts = new Map([
    ...(await factsOfMessages(tx, workspaceId, targets)),
    ...(await factsOfCampaigns(tx, workspaceId, targets)),
  ])
  return happenings.flatMap(({ type, target, detail }) => {
    const known = facts.get(nameOf(target))
    return known
      ? [
          {
            type,
            data: {
              ...known.extra,
              ...(type === 'email.failed' && whyFailed(known.error ?? '')),
              ...detail,
            },
          },
        ]
      : []
  })
}

const whyFailed = (error: string) => ({ error, failed: { reason: error } })

interface EventFacts {
  extra: object
  error: string | null
}

const nameOf = (target: FeedbackTarget): string =>
  'messageId' in target
    ? `${target.messageId}/${target.position}`
    : `${target.campaignId}/${target.subscriberId}`

async function factsOfMessages(
  tx: Database,
  workspaceId: number,
  targets: FeedbackTarget[],
): Promise<[string, EventFacts][]> {
  const messages = distinct(targets).flatMap((target) => ('messageId' in target ? [target] : []))
  if (messages.length === 0) return []
  const facts = await messageFacts(tx, workspaceId, messages)
  return facts.map((fact) => [nameOf(fact), { extra: sayMessage(fact), error: fact.error }])
}

async function factsOfCampaigns(
  tx: Database,
  workspaceId: number,
  targets: FeedbackTarget[],
): Promise<[string, EventFacts][]> {
  const recipients = distinct(targets).flatMap((target) => ('campaignId' in target ? [target] : []))
  if (recipients.length === 0) return []
  const facts = await campaignFacts(tx, workspaceId, recipients)
  return facts.map((fact) => [nameOf(fact), { extra: sayCampaign(fact), error: fact.error }])
}

const distinct = (targets: FeedbackTarget[]): FeedbackTarget[] => [
  ...new Map(targets.map((target) => [nameOf(target), target])).values(),
]

function sayMessage({
  messageId,
  recipient,
  head,
  subject,
  tags,
  createdAt,
  header,
}: MessageFacts): object {
  const { from, to } = readHead(head)
  return {
    ...{
      email_id: messageId,
      id: messageId,
      from: from.address,
      to: to.map(({ address }) => address),
      recipient,
      subject,
    },
    ...{
      tags: tags ?? {},
      created_at: rfc3339(createdAt),
      message_id: header,
      campaign_id: null,
      subscriber_id: null,
    },
  }
}

function sayCampaign({
  campaignId,
  subscriberId,
  recipient,
  fromEmail,
  subject,
  createdAt,
  ...names
}: CampaignFacts): object {
  const reader = {
    email: recipient,
    firstName: names.firstName,
    lastName: names.lastName,
    fields: names.fields ?? {},
  }
  return {
    ...{
      email_id: null,
      id: null,
      from: fromEmail,
      to: [recipient],
      recipient,
      subject: fillTags(subject, reader),
      tags: {},
    },
    ...{
      created_at: rfc3339(createdAt),
      message_id: campaignMessageId({ campaignId, subscriberId, domain: domainOf(fromEmail) }),
    },
    // An index finds the first two side by side, in this order (`facteur_event_mail`). It does not
    // read them by name: where the function of an index is replaced, connections that know the
    // former one read the whole table until they end.
    ...{ campaign_id: campaignId, subscriber_id: subscriberId, broadcast_id: campaignId },
  }
}
