/** Defines the approval of a campaign's send, as members read it. */
import { DateTime, Text, Type, nullable, oneOf, type Static } from '../schema.ts'

/** Of the present content and audience. */
export const approvalStates = ['none', 'asked', 'approved', 'changed', 'approver_left'] as const

/** Why a member cannot approve. */
export const approvalObstacles = ['own_request', 'own_change', 'role'] as const

export const CampaignApproval = Type.Object({
  above: nullable(
    Type.Integer({
      description: 'More recipients than these need an approval; null: not any more.',
    }),
  ),
  growth_percent: Type.Integer({
    description: 'By so many percent a list may be longer than approved.',
  }),
  state: oneOf(approvalStates, {
    description:
      '`changed`: the content or the audience changed since the request, so that it is void, also where they are changed back. `approver_left`: the member who approved it has gone, or may no longer approve.',
  }),
  digest: Type.String({
    description: 'Of all that reaches a reader and of the audience, now. An approval names it.',
  }),
  recipients: nullable(Type.Integer({ description: 'Counted when the approval was asked for.' })),
  asked_by: Text.orNull(),
  asked_at: nullable(DateTime),
  approved_by: Text.orNull(),
  approved_at: nullable(DateTime),
  obstacle: nullable(
    oneOf(approvalObstacles, { description: 'Why the caller cannot approve; null: they can.' }),
  ),
})
export type CampaignApproval = Static<typeof CampaignApproval>
