/** These functions word for the reader what the service reports of messages. */
import type { TFunction } from 'i18next'
import type { AnswerMeaning, Happening } from '../../../../src/contract/workspace/messages.ts'
import { keyOf } from '../../parts/key-of.ts'

type Translate = TFunction<'emails'>

/** Causes with a sentence of their own; of others, the answer says why. */
const ownCauses = ['cancelled', 'discarded', 'erased', 'doubt_ended', 'parked'] as const

/** Returns one sentence about the cause or the server's answer; empty where neither has one. */
export function sayWhy({ answer, cause, suppressed_for: reason }: Happening, t: Translate): string {
  if (cause === 'suppressed')
    return t(keyOf('suppressed', reason ?? 'manual'), { defaultValue: '' })
  const own = ownCauses.find((each) => each === cause)
  return own ? t(keyOf('cause', own)) : sayMeaning(answer?.meaning ?? null, t)
}

/** Returns one sentence about a server's answer. */
export const sayMeaning = (meaning: AnswerMeaning | null, t: Translate): string =>
  meaning === null ? '' : t(keyOf('means', meaning))

/** Says who opened or clicked, or how the service knows of a step. */
export function sayHow({ visitor, by }: Pick<Happening, 'visitor' | 'by'>, t: Translate): string {
  if (visitor !== null) return t(keyOf('by', visitor))
  return by === null ? '' : t(keyOf('knownBy', by))
}
