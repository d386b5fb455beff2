/** The three ways of writing a campaign, in the order in which they are offered. */
import type { CampaignKind } from '../../../../../src/contract/campaign-fields.ts'

export const ways: readonly CampaignKind[] = ['content', 'text', 'html']
