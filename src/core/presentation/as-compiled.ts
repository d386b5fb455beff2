/** Types a compiled campaign that the database returns. */
import type { CompiledCampaign } from '../../mail/merge/compiled-campaign.ts'

/** `compileCampaign` made it, so it has this shape. */
export const asCompiled = (stored: unknown): CompiledCampaign => stored as CompiledCampaign
