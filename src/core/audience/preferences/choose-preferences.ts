/**
 * Stores what a contact chooses on their page: topics and a language, each change with its
 * evidence. It changes no status: who left everything comes back by a form alone.
 */
import { limits } from '../../../contract/limits.ts'
import { retrying } from '../../../database/client/retrying.ts'
import type { Database } from '../../../database/client/database.ts'
import { lockSubscriber } from '../../../db/audience/subscribers.ts'
import {
  insertChoiceEvidence,
  writeLanguage,
  writeTopicChoices,
} from '../../../db/audience/topic-choices.ts'
import { keepTopics } from '../../../db/audience/topics.ts'
import { takeSignUp } from '../../../db/forms/sign-up-limits.ts'
import type { LinkSubject } from '../../../ground/link-tokens.ts'
import type { Context } from '../../context.ts'
import { campaignOf } from '../../suppression/unsubscribe-by-link.ts'
import { findPreferences, type Preferences } from './find-preferences.ts'
import { changedTopics, type TopicChoice } from './topic-boxes.ts'
import type { RecipientLanguage } from '../../../ground/texts/languages.ts'

/** The choices, and the words that stood beside each. */
export interface Choosing {
  topics: readonly TopicChoice[]
  language: RecipientLanguage | null
  sayTopic: (topic: { name: string; subscribed: boolean }) => string
  sayLanguage: (language: RecipientLanguage | null) => string
  ip: string
  userAgent: string | null
}

type Parts = Pick<Context, 'db' | 'countingDb' | 'makeId'>

/**
 * `subject` comes from a token with purpose `unsubscribe`. Null means there is no such subscriber,
 * or they left everything; then nothing is changed.
 */
export async function choosePreferences(
  ctx: Parts,
  { subject, choosing }: { subject: LinkSubject; choosing: Choosing },
): Promise<'saved' | 'too_many' | null> {
  const { workspaceId, second: subscriberId } = subject
  // Evidence stays as long as the contact, so its rows are bounded.
  const rate = { bucket: `choices ${subscriberId}`, max: limits.choicesHourMax }
  if (!(await takeSignUp(ctx.countingDb, workspaceId, rate))) return 'too_many'
  return retrying(() =>
    ctx.db.transaction(async (tx) => {
      const status = await lockSubscriber(tx, workspaceId, subscriberId)
      if (status === null || status === 'unsubscribed') return null
      const remaining = await keepTopics(
        tx,
        workspaceId,
        choosing.topics.map(({ id }) => id),
      )
      const before = await findPreferences({ db: tx }, { workspaceId, subscriberId })
      if (!before) return null
      const topics = choosing.topics.filter(({ id }) => remaining.includes(id))
      await writeChanges(ctx, tx, { subject, before, choosing: { ...choosing, topics } })
      return 'saved'
    }),
  )
}

async function writeChanges(
  ctx: Parts,
  tx: Database,
  { subject, before, choosing }: { subject: LinkSubject; before: Preferences; choosing: Choosing },
): Promise<void> {
  const { workspaceId, second: subscriberId } = subject
  const changed = changedTopics(before.topics, choosing.topics)
  const rest = {
    ...{ subscriberId, source: 'link' as const, campaignId: campaignOf(subject) },
    ...{ ip: choosing.ip, userAgent: choosing.userAgent },
  }
  const evidence = changed.map(({ name, subscribed }) => ({
    ...{ ...rest, id: ctx.makeId(), topic: name },
    act: subscribed ? ('topic_joined' as const) : ('topic_left' as const),
    shown: choosing.sayTopic({ name, subscribed }),
  }))
  if (changed.length > 0)
    await writeTopicChoices(tx, workspaceId, { subscriberId, choices: changed })
  const { language } = choosing
  if (language !== before.language) {
    await writeLanguage(tx, workspaceId, { subscriberId, language })
    const shown = choosing.sayLanguage(language)
    const chosen = { ...rest, id: ctx.makeId(), act: 'language_chosen' as const, topic: null }
    return insertChoiceEvidence(tx, workspaceId, [...evidence, { ...chosen, shown }])
  }
  if (evidence.length > 0) await insertChoiceEvidence(tx, workspaceId, evidence)
}
