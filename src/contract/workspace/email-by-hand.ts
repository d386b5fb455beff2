/** Defines a single message as a signed-in user writes it. */
import { CampaignBlocks } from '../campaign-content.ts'
import { EmailRequest } from '../emails.ts'
import { Type } from '../schema.ts'

export const EmailByHand = Type.Object({
  ...EmailRequest.properties,
  content: Type.Optional(CampaignBlocks),
})
