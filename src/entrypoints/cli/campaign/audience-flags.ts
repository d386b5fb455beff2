/** Whom a campaign goes to, as the command line names it: segments, by name or identifier. */
import type { Campaign } from '../../../contract/campaigns.ts'
import type { Audience } from '../../../contract/workspace/campaign-audience.ts'
import { segmentByName } from '../../../db/audience/segments/named-segments.ts'
import { textFlag } from '../parameters.ts'
import { CommandRefusal } from '../refusal.ts'
import type { WorkspaceContext } from '../workspace-command.ts'

export const audienceFlags = {
  to: textFlag('SEGMENT', 'A segment, by its name or id; absent: everybody subscribed.'),
  except: textFlag('SEGMENT', 'A segment that it leaves out, by its name or id.'),
}

/** As `Customers, 1 exclusion`. */
export function sayAudience({ name, exclusions }: NonNullable<Campaign['audience']>): string {
  const all = name ?? 'everybody subscribed'
  return exclusions === 0 ? all : `${all}, ${exclusions} exclusion${exclusions === 1 ? '' : 's'}`
}

/** Null means everybody subscribed. */
export async function resolveAudience(
  ctx: WorkspaceContext,
  { to, except }: Record<keyof typeof audienceFlags, string | null>,
): Promise<Audience | null> {
  if (to === null && except === null) return null
  const segment = async (name: string) => ({ segment: await resolveSegment(ctx, name) })
  return {
    to: to === null ? null : await segment(to),
    except: except === null ? [] : [await segment(except)],
  }
}

async function resolveSegment({ db, workspace }: WorkspaceContext, name: string): Promise<string> {
  const id = await segmentByName(db, workspace.id, name)
  if (id !== null) return id
  throw new CommandRefusal('not_found', `${workspace.slug} has no segment "${name}".`)
}
