/** POST /audience: a user adds a subscriber by hand, who is asked to confirm, or whose consent the user answers for. */
import { addToAudience } from './add-subscriber.ts'
import { readConsentWords } from '../audience/read-consent-words.ts'
import { readSubscriber } from '../audience/read-subscriber.ts'
import type { Verb } from '../verb.ts'

export const enrolSubscriber: Verb<'enrolSubscriber'> = async (ctx, { body: { consent, ...person } }) => {
  const words = readConsentWords(consent)
  return addToAudience(ctx, { given: readSubscriber(person), entry: { doubleOptIn: words === null, words } })
}
