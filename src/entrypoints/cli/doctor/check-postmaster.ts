/** Checks that Google's Postmaster Tools are read, where the settings name an account for them. */
import type { Config } from '../../../ground/config.ts'
import { postmasterState } from '../../../db/postmaster/postmaster-state.ts'
import type { Database } from '../../../database/client/database.ts'
import { shownTime } from '../../../ground/shown-values.ts'
import { passed, warned, type Check } from './check.ts'

/** A round is due each six hours, and a failed one after an hour. */
const ageSecondsMax = 24 * 3_600

const title = 'postmaster'

export async function checkPostmaster(
  db: Database,
  { postmaster: { keyFile } }: Config,
): Promise<Check[]> {
  if (keyFile === null) return []
  const state = await postmasterState(db)
  const last = state?.readAt ? `last read on ${shownTime(state.readAt)} UTC` : 'never read yet'
  if (state?.error)
    return [
      warned(
        title,
        `Google's Postmaster Tools could not be read on ${shownTime(state.failedAt)} UTC, ${last}. ${state.error}`,
        'Enable the Postmaster Tools API in the project of the service account, and let FACTEUR_GOOGLE_POSTMASTER_KEY hold a key that is valid; it is tried again within the hour.',
      ),
    ]
  if (state === null || (state.ageSeconds ?? Infinity) > ageSecondsMax)
    return [
      warned(
        title,
        `Google's Postmaster Tools were ${last}`,
        'Start a process with the role worker and FACTEUR_GOOGLE_POSTMASTER_KEY.',
      ),
    ]
  if (state.domains === 0)
    return [
      warned(
        title,
        `Google's Postmaster Tools were ${last}, and show the account no domain of ours`,
        "Add each domain at https://postmaster.google.com, and the account's address as a user of it: facteur doctor --delivery names both.",
      ),
    ]
  return [
    passed(title, `Google's Postmaster Tools were ${last}, for ${state.domains} of our domains`),
  ]
}
