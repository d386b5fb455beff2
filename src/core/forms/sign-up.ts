/**
 * Accepts a sign-up from a form without looking up its address. Answer and timing are therefore the
 * same for new, known and suppressed addresses (security: Sign-up forms). A worker handles it in
 * complete-sign-up.ts.
 *
 * 1. read the form's fields
 * 2. check the stamp of the shown page; without a valid one, show the form with its button. A page
 *    of the owner's has no stamp, and its visitor waits for the whole minimum fill time
 * 3. apply the rate limits: per network, and for all of the workspace's forms
 * 4. wait for the rest of the minimum fill time, so that a fast visitor presses the button once;
 *    the limits are counted before, so that few calls wait
 * 5. a value in the hidden field comes from a program: it gets the answer of the others in their
 *    time, and nothing is stored
 */
import { takeSignUp } from '../../db/forms/sign-up-limits.ts'
import type { FormWithWorkspace } from '../../db/forms/sign-up-forms.ts'
import { insertSignUp } from '../../db/forms/sign-ups.ts'
import type { Context } from '../context.ts'
import { readTopicBoxes, type TopicChoice } from '../audience/preferences/topic-boxes.ts'
import { networkOf } from '../network-of.ts'
import { readSignUp, trapField, type SignUpProblems } from './read-sign-up.ts'
import { fillMsMin, remainingFillMs } from './stamp.ts'
import type { FormAsks } from './typed-asks.ts'
import type { RecipientLanguage } from '../../ground/texts/languages.ts'

/**
 * Sign-ups per hour: from one network to all forms of the installation, and from all networks to
 * one workspace's forms.
 */
const networkMax = 20
const workspaceMax = 1_000

const textMax = 500

export type SignUpAnswer =
  | 'taken'
  | 'too_many'
  | { problems: SignUpProblems }
  /** The form is shown, and its button must be pressed. */
  | 'again'

export interface SignUpRequest {
  workspaceId: number
  form: FormWithWorkspace & FormAsks
  typed: ReadonlyMap<string, string>
  /** The consent text that this visitor was shown. */
  shown: string
  /** The form stands on a page of the owner's, which we did not show. */
  isElsewhere?: boolean
  /** The language of the page. */
  language: RecipientLanguage
  ip: string
  userAgent: string | null
}

export async function signUp(
  ctx: Pick<Context, 'db' | 'countingDb' | 'makeId' | 'linkTokens' | 'wake' | 'clock'>,
  { workspaceId, form, typed, shown, isElsewhere, language, ip, userAgent }: SignUpRequest,
): Promise<SignUpAnswer> {
  const read = readSignUp(form.asks, typed)
  if ('problems' in read) return read
  const stamp = { stamp: typed.get('stamp') ?? '', nowMs: form.nowMs }
  const remainingMs = isElsewhere
    ? fillMsMin
    : remainingFillMs(ctx.linkTokens, { workspaceId, id: form.id }, stamp)
  if (remainingMs === null) return 'again'
  // Rate limits come before the wait, since they bound how many calls wait.
  if (!(await isWithinRate(ctx, workspaceId, ip))) return 'too_many'
  if (remainingMs > 0) await ctx.clock.sleep(remainingMs)
  if (typed.get(trapField)) return 'taken'
  await insertSignUp(ctx.db, workspaceId, {
    ...read,
    ...{
      id: ctx.makeId(),
      formId: form.id,
      tags: form.tags,
      topics: readTopics(form, typed),
      shown,
      language,
      ip,
      userAgent: userAgent?.slice(0, textMax) ?? null,
    },
  })
  ctx.wake('sign_up')
  return 'taken'
}

/** Those of the form that its page showed, by their names then. Null means none. */
function readTopics(
  { offeredTopics }: FormAsks,
  typed: ReadonlyMap<string, string>,
): (TopicChoice & { name: string })[] | null {
  const chosen = readTopicBoxes(typed).flatMap((choice) => {
    const topic = offeredTopics.find(({ id }) => id === choice.id)
    return topic ? [{ ...choice, name: topic.name }] : []
  })
  return chosen.length === 0 ? null : chosen
}

async function isWithinRate(
  { countingDb }: Pick<Context, 'countingDb'>,
  workspaceId: number,
  ip: string,
): Promise<boolean> {
  // Workspace 0 is shared by all, as for calls without a key.
  return (
    (await takeSignUp(countingDb, 0, { bucket: networkOf(ip), max: networkMax })) &&
    (await takeSignUp(countingDb, workspaceId, { bucket: '', max: workspaceMax }))
  )
}
