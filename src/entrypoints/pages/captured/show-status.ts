/** A recipient's status as a badge: a word, and a colour beside it that never speaks alone. */
import type { RecipientRow } from '../../../db/messages.ts'
import { html } from '../../../html.ts'
import type { Html } from '../../../html.ts'
import type { Texts } from './texts.ts'

export function showStatus({ status, state }: Pick<RecipientRow, 'status' | 'state'>, t: Texts): Html {
  return html`<span class="status ${status}">${state === 'in_doubt' ? t.inDoubt : t.status[status]}</span>`
}
