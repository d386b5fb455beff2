/** Events that webhooks tell of (spec: Events; semantics 4: Event data): their types, their bodies, and what the data of each holds. */

/** Types of the specification, then ours, which nobody gets who does not ask for them by name. */
export const eventTypes = [
  'email.delivered',
  'email.opened',
  'email.clicked',
  'email.bounced',
  'email.complained',
  'subscriber.created',
  'subscriber.unsubscribed',
  'email.sent',
  'email.failed',
  'subscriber.confirmed',
  'campaign.sent',
  'suppression.created',
] as const
export type EventType = (typeof eventTypes)[number]
