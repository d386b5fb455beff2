/** Writes a campaign's request under the names of its fields, whichever spelling the caller chose. */
import { campaignAliases, type CampaignRequest } from '../../contract/campaigns.ts'
import { shapeError } from '../input/shape-error.ts'

type Alias = (typeof campaignAliases)[keyof typeof campaignAliases]

/** An alias and its native name may both be given when they say the same (semantics 4). */
export function withOwnNames<Request extends Partial<CampaignRequest>>(
  request: Request,
): Omit<Request, Alias> {
  const { reply_to: _replyTo, track_opens: _opens, track_clicks: _clicks, ...rest } = request
  const fields = Object.entries(campaignAliases).flatMap(([name, alias]) => {
    const [native, other] = [Reflect.get(request, name), Reflect.get(request, alias)]
    if (!isAbsent(native) && !isAbsent(other) && !areSame(native, other))
      throw shapeError([{ path: alias, rule: 'alias_differs' }])
    const value: unknown = native ?? other
    return value === undefined ? [] : [[name, value]]
  })
  return { ...rest, ...Object.fromEntries(fields) }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** One address is the same as a list of it. */
const areSame = (a: unknown, b: unknown): boolean =>
  JSON.stringify([a].flat()) === JSON.stringify([b].flat())
