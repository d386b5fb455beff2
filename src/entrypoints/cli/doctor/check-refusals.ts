/**
 * Checks whether mail servers refuse mail for a reason that the sender can mend, and says the most
 * frequent ones.
 */
import type { ServiceSettings } from '../../../core/context.ts'
import { openRefusals } from '../../../core/refusals/explain-refusals.ts'
import { topRefusals } from '../../../db/sending/refusal-counts.ts'
import { sayRefusalNext } from '../say-refusal.ts'
import { passed, warned, type Check, type EachCell } from './check.ts'

/** How many causes are said for each cell. */
const shownMax = 5

/** A server refuses some mail of everybody; this often since yesterday is not chance. */
const refusalsMin = 10

export async function checkRefusals(
  eachCell: EachCell,
  settings: ServiceSettings,
): Promise<Check[]> {
  const checks: Check[] = []
  await eachCell(async (db) => {
    for (const { workspaceId, slug, domain, cause, refusals, address } of await topRefusals(
      db,
      shownMax,
    )) {
      if (refusals < refusalsMin) continue
      const words = await openRefusals({ db, settings, language: 'en' }, { workspaceId, domain })
      const explained = words.ofCause(cause, address)
      if (explained !== null)
        checks.push(
          warned(
            'refusals',
            `${refusals} times since yesterday, mail of ${slug}: ${explained.what}`,
            `${sayRefusalNext(explained)} More: facteur domain refusals --workspace ${slug} ${domain}`,
          ),
        )
    }
  })
  return checks.length > 0
    ? checks
    : [
        passed(
          'refusals',
          'since yesterday no mail server refused mail often for a reason that it named',
        ),
      ]
}
