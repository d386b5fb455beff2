/**
 * POST /audience: a user adds a subscriber by hand, who is asked to confirm, or whose consent the
 * user answers for.
 */
import { addToAudience } from './add-subscriber.ts'
import { readConsentWords } from '../audience/read-consent-words.ts'
import { readSubscriber } from '../audience/read-subscriber.ts'
import type { Verb } from '../verb.ts'

export const enrolSubscriber: Verb<'enrolSubscriber'> = async (
  ctx,
  { body: { consent, ...subscriber } },
) => {
  const words = readConsentWords(consent)
  return addToAudience(ctx, {
    given: readSubscriber(subscriber),
    entry: { doubleOptIn: words === null, words },
  })
}
