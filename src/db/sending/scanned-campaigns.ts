/** Where looks for the strays of campaigns begin (docs/decisions/0052-a-held-horizon.md). */
import { part, rowList, type Fragment } from '../../database/client/fragment.ts'

/**
 * Up to when the strays of a campaign were claimed, and when the next look begins at the first one.
 */
export interface ScannedCampaign {
  campaignId: string
  passedTo: Date
  fullInSeconds: number
}

/** The look `l` at the strays of campaign `c`. Null if it begins at the first one. */
export const scanOf = (scanned: readonly ScannedCampaign[]): Fragment => part`left join lateral (
      select passed_to, full_in_seconds
      from ${rowList(scanned, 'l', {
        uuid: ['campaignId'],
        timestamptz: ['passedTo'],
        float8: ['fullInSeconds'],
      })}
      where l.campaign_id = c.id limit 1) l on true`
