/**
 * Takes what a visitor sent by a form. Whose address it is, nobody looks at here: the page and the time it takes are the same for
 * new, known and suppressed addresses (security: Sign-up forms). A worker looks, in settle-sign-up.ts.
 *
 * 1. what only a program fills in: answered as if it had been taken
 * 2. what the form asks, field by field
 * 3. the stamp of the page that was shown; without a valid one the form is shown, with its button
 * 4. the brakes: by network, and for the workspace's forms together
 * 5. the rest of the minimum fill time: the answer waits for it, so that a quick visitor presses the button once (decision 0035)
 */
import { takeSignUp } from '../../db/forms/sign-up-limits.ts'
import type { FormWithWorkspace } from '../../db/forms/sign-up-forms.ts'
import { insertSignUp } from '../../db/forms/sign-ups.ts'
import type { Context } from '../context.ts'
import { networkOf } from '../network-of.ts'
import { readSignUp, trapField } from './read-sign-up.ts'
import type { SignUpProblems } from './read-sign-up.ts'
import { remainingFillMs } from './stamp.ts'

/** Within an hour, from one network to all forms of the installation, and from everybody to the forms of a workspace. */
const networkMost = 20
const workspaceMost = 1_000

const textMax = 500

export type SignUpAnswer =
  | 'taken'
  | 'too_many'
  | { problems: SignUpProblems }
  /** The form is to be shown, and its button pressed. */
  | 'again'

export interface SignUpRequest {
  workspaceId: number
  form: FormWithWorkspace
  typed: ReadonlyMap<string, string>
  /** The words beside the button, as this visitor was shown them. */
  shown: string
  /** Of the page. */
  language: 'fr' | 'en'
  ip: string
  userAgent: string | null
}

export async function signUp(
  ctx: Pick<Context, 'db' | 'countingDb' | 'makeId' | 'linkTokens' | 'wake' | 'clock'>,
  { workspaceId, form, typed, shown, language, ip, userAgent }: SignUpRequest,
): Promise<SignUpAnswer> {
  if (typed.get(trapField)) return 'taken'
  const read = readSignUp(form.asks, typed)
  if ('problems' in read) return read
  const stamp = { stamp: typed.get('stamp') ?? '', nowMs: form.nowMs }
  const remainingMs = remainingFillMs(ctx.linkTokens, { workspaceId, id: form.id }, stamp)
  if (remainingMs === null) return 'again'
  // The limits come first: they bound how many calls wait.
  if (!(await passesBrakes(ctx, workspaceId, ip))) return 'too_many'
  if (remainingMs > 0) await ctx.clock.sleep(remainingMs)
  await insertSignUp(ctx.db, workspaceId, {
    ...read,
    ...{
      id: ctx.makeId(),
      formId: form.id,
      tags: form.tags,
      shown,
      language,
      ip,
      userAgent: userAgent?.slice(0, textMax) ?? null,
    },
  })
  ctx.wake('sign_up')
  return 'taken'
}

async function passesBrakes({ countingDb }: Pick<Context, 'countingDb'>, workspaceId: number, ip: string): Promise<boolean> {
  // Workspace 0 is everybody's, as for calls without a key.
  return (
    (await takeSignUp(countingDb, 0, { bucket: networkOf(ip), most: networkMost })) &&
    (await takeSignUp(countingDb, workspaceId, { bucket: '', most: workspaceMost }))
  )
}
