/** Creates a form for signing up with a workspace. */
import type { Database } from '../../database/client/database.ts'
import { insertSignUpForm, type SignUpFormRow } from '../../db/forms/sign-up-forms.ts'
import { keepTopics } from '../../db/audience/topics.ts'
import { makeTags } from '../../db/audience/subscriber-fields.ts'
import type { Context } from '../context.ts'
import { recordAuditEntry, type Actor } from '../audit/record-audit-entry.ts'
import { shapeError } from '../input/shape-error.ts'
import { withinLimit } from '../input/within-limit.ts'
import { defineFields } from '../audience/fields/define-fields.ts'

/** The author's input; the entry point has validated its texts. */
export type NewForm = Pick<SignUpFormRow, 'name' | 'intro' | 'consent' | 'asks' | 'tags'> &
  Partial<
    Pick<
      SignUpFormRow,
      'topics' | 'colours' | 'mail' | 'language' | 'origins' | 'thanksUrl' | 'confirmedUrl'
    >
  >

const nothingOwn = {
  topics: [],
  colours: null,
  mail: null,
  language: null,
  origins: [],
  thanksUrl: null,
  confirmedUrl: null,
}

/**
 * Its fields and tags exist from then on. Throws `validation_error` when the workspace has too many
 * forms or fields.
 */
export function makeForm(
  ctx: Pick<Context, 'db' | 'makeId'> & Omit<Actor, 'workspaceId'>,
  { workspaceId, form }: { workspaceId: number; form: NewForm },
): Promise<SignUpFormRow> {
  return ctx.db.transaction(async (tx) => {
    await defineWhatItNames(tx, workspaceId, form)
    const row = await withinLimit(tx, workspaceId, 'forms', () =>
      insertSignUpForm(tx, workspaceId, { id: ctx.makeId(), ...nothingOwn, ...form }),
    )
    await recordAuditEntry(tx, { ...ctx, workspaceId }, { act: 'form.created', subject: form.name })
    return row
  })
}

/**
 * Defines its fields and tags, and checks its topics, so that they can be chosen and filtered by before the first sign-up.
 */
export async function defineWhatItNames(
  tx: Database,
  workspaceId: number,
  { asks, tags, topics = [] }: Pick<NewForm, 'asks' | 'tags' | 'topics'>,
): Promise<void> {
  // Topics that it asks for cannot be deleted meanwhile.
  const known = await keepTopics(tx, workspaceId, topics)
  const absent = topics.findIndex((id) => !known.includes(id))
  if (absent >= 0) throw shapeError([{ path: `topics.${absent}`, rule: 'topic' }])
  const keys = asks.flatMap(({ field }) =>
    field.startsWith('fields.') ? [field.slice('fields.'.length)] : [],
  )
  await defineFields(tx, workspaceId, keys)
  if (tags.length > 0) await makeTags(tx, workspaceId, tags)
}
