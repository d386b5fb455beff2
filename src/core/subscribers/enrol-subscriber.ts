/** POST /audience: a user adds a subscriber by hand, who is asked to confirm, or whose consent the user answers for. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { addToAudience } from './add-subscriber.ts'
import { readConsentWords } from '../audience/read-consent-words.ts'
import { readSubscriber } from '../audience/read-subscriber.ts'

export async function enrolSubscriber(
  ctx: CallContext,
  { body: { consent, ...person } }: InputOf<'enrolSubscriber'>,
): Promise<AnswerOf<'enrolSubscriber'>> {
  const words = readConsentWords(consent)
  return addToAudience(ctx, readSubscriber(person), { doubleOptIn: words === null, words })
}
