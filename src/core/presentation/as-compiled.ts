import type { CompiledCampaign } from '../../mail/merge/compiled-campaign.ts'

/** A compiled campaign as the database returns it. */

/** We wrote it (`compileCampaign`), so it has this shape. */
export const asCompiled = (stored: unknown): CompiledCampaign => stored as CompiledCampaign
