/**
 * Presents a form to the pages of its workspace: with its address, its embed, and why its page may
 * accept no sign-ups.
 */
import { boundedCount, countedEntriesMax } from '../../contract/counted.ts'
import { signUpDays, type Form } from '../../contract/workspace/forms.ts'
import { countSignUps } from '../../db/forms/sign-up-counts.ts'
import type { SignUpFormRow } from '../../db/forms/sign-up-forms.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import type { CallContext } from '../context.ts'
import { findAsker } from '../audience/consent/send-confirmation.ts'
import { writeFormId } from '../input/form-id.ts'
import { recipientTexts } from '../../ground/texts/recipient-texts.ts'
import { withTypes } from './typed-asks.ts'
import { writeEmbed, writeSnippet } from './write-embed.ts'

export type FormContext = Pick<CallContext, 'db' | 'settings' | 'workspaceId'>

const noWords = { subject: null, text: null, button: null }

export async function formBodies(ctx: FormContext, rows: SignUpFormRow[]): Promise<Form[]> {
  const { db, settings, workspaceId } = ctx
  const [workspace, asker, forms, counts] = await Promise.all([
    workspaceSettings(db, workspaceId),
    findAsker(ctx, db, workspaceId),
    withTypes(db, workspaceId, rows),
    countSignUps(db, workspaceId, {
      ...{ formIds: rows.map(({ id }) => id), days: signUpDays, max: countedEntriesMax + 1 },
    }),
  ])
  const usual = workspace.language ?? settings.language
  return forms.map((row) => {
    const { id, name, intro, consent, tags, topics, colours, mail, language, origins, enabled } =
      row
    const formId = writeFormId({ workspaceId, id })
    const url = `${settings.baseUrl}/forms/${formId}`
    const asks = row.asks.map(({ field, label }) => ({ field, label }))
    const texts = recipientTexts[language ?? usual].form
    const location = { address: url, workspaceName: workspace.name }
    return {
      object: 'form',
      id: formId,
      ...{
        name,
        intro,
        consent,
        asks,
        tags,
        topics,
        colours,
        mail: mail ?? noWords,
        language,
        origins,
        enabled,
      },
      thanks_url: row.thanksUrl,
      confirmed_url: row.confirmedUrl,
      closed_because: enabled ? ('refusal' in asker ? asker.refusal : null) : 'disabled',
      url,
      sign_ups: signUpsOf(counts.find(({ formId: of }) => of === id)),
      embed: writeEmbed(row, location, texts),
      json_url: `${url}/json`,
      snippet: writeSnippet(row, location, texts),
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
    }
  })
}

const signUpsOf = ({ count, confirmed } = { count: 0, confirmed: 0 }): Form['sign_ups'] => ({
  ...boundedCount({ count }),
  confirmed: Math.min(confirmed, countedEntriesMax),
})

export async function formBody(ctx: FormContext, row: SignUpFormRow): Promise<Form> {
  const [body] = await formBodies(ctx, [row])
  if (!body) throw new Error('One form gave none')
  return body
}
