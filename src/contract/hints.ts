/** Defines the hints that a refusal adds to its message for common mistakes, in both languages. */
import { texts, type Language, type Texts } from '../ground/texts/texts.ts'

/** `template`: the field of other services is the most common reason for an empty body. */
export type Hint = keyof Texts['hints']

export const isHint = (value: unknown): value is Hint =>
  typeof value === 'string' && Object.hasOwn(texts.fr.hints, value)

/** How words of Resend begin that stand in no list here: its types of event, its lenient batch. */
const hintsOfWords: readonly (readonly [beginning: string, hint: Hint])[] = [
  ['contact.deleted', 'event_contact_deleted'],
  ['contact.topics.', 'resend_topics'],
  ['domain.', 'event_domain'],
  ['email.received', 'resend_receiving'],
  ['inbox.', 'resend_receiving'],
  ['permissive', 'batch_whole'],
  ['suppression.added', 'event_suppression_added'],
  ['suppression.removed', 'event_suppression_removed'],
  ['topic.', 'resend_topics'],
]

/** The advice for a word that no list of allowed ones has. */
export const hintOfWord = (word: string): Hint | undefined =>
  hintsOfWords.find(([beginning]) => word.startsWith(beginning))?.[1]

export const hintText = (hint: Hint, language: Language): string => texts[language].hints[hint]
