/** Presents the audience of a campaign with the names by which people know its parts. */
import type {
  Audience,
  CampaignAudience,
  PartReason,
} from '../../../contract/workspace/campaign-audience.ts'
import { segmentsById, type FrozenSegment } from '../../../db/audience/segments/named-segments.ts'
import type { AudienceRow } from '../../../db/campaigns/campaign-audience.ts'
import type { Database } from '../../../database/client/database.ts'
import { segmentIdsOf } from './compile-audience.ts'

type Named = Pick<FrozenSegment, 'id' | 'name'>
type Exclusion = Audience['except'][number]

/** Of a frozen list: with the names that its segments had then. */
export async function presentAudience(
  db: Database,
  { workspaceId, id }: { workspaceId: number; id: string },
  { audience, frozen, exceptLeft }: AudienceRow,
): Promise<CampaignAudience> {
  const chosen = frozen ?? audience ?? { to: null, except: [] }
  const segments = frozen?.segments ?? (await segmentsById(db, workspaceId, segmentIdsOf(chosen)))
  return {
    object: 'campaign_audience',
    id,
    to: chosen.to && presentTarget(chosen.to, segments),
    except: chosen.except.map((part, index) => ({
      ...presentExclusion(part, segments),
      left_out: exceptLeft && (exceptLeft[`except.${index}`] ?? 0),
    })),
  }
}

function presentTarget(
  to: NonNullable<Audience['to']>,
  segments: Named[],
): NonNullable<CampaignAudience['to']> {
  return 'tags' in to
    ? { kind: 'tags', segment: null, tags: to.tags, name: to.tags.join(', ') }
    : { kind: 'segment', ...to, tags: [], name: nameOf(to.segment, segments) }
}

const presentExclusion = (
  part: Exclusion,
  segments: Named[],
): Omit<CampaignAudience['except'][number], 'left_out'> => ({
  reason: exclusionReason(part),
  segment: 'segment' in part ? part.segment : null,
  tag: 'tag' in part ? part.tag : null,
  within_days: 'received' in part ? part.received.within_days : null,
  name: exclusionName(part, segments),
})

export const exclusionReason = (part: Exclusion): PartReason =>
  'segment' in part ? 'excluded_segment' : 'tag' in part ? 'excluded_tag' : 'excluded_received'

/** The segment's name, the tag, or the number of days. */
export const exclusionName = (part: Exclusion, segments: Named[]): string =>
  'segment' in part
    ? nameOf(part.segment, segments)
    : 'tag' in part
      ? part.tag
      : String(part.received.within_days)

/** A segment in use is not deleted, so that each has one. */
const nameOf = (id: string, segments: Named[]): string =>
  segments.find((segment) => segment.id === id)?.name ?? id
