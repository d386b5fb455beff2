/** The link to subscribe again after an unsubscribe: the workspace's form, where it has an open one. */
import { writeFormId } from '../../../core/forms/form-id.ts'
import { html, type Html } from '../../../html.ts'
import type { PublicTexts } from './texts.ts'

export const linkBack = (workspaceId: number, formId: string | null, t: PublicTexts): Html | null =>
  formId === null
    ? null
    : html`<p class="small"><a href="/forms/${writeFormId({ workspaceId, id: formId })}">${t.comeBackLink}</a></p>`
