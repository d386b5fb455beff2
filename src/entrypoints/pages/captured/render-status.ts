/** A recipient's status as a badge: a word with a colour, which never carries the meaning alone. */
import type { RecipientRow } from '../../../db/messages/messages.ts'
import { html, type Html } from '../../../html.ts'
import type { CapturedTexts } from './texts.ts'

export function renderStatus({ status, state }: Pick<RecipientRow, 'status' | 'state'>, t: CapturedTexts): Html {
  return html`<span class="status ${status}">${state === 'in_doubt' ? t.inDoubt : t.status[status]}</span>`
}
