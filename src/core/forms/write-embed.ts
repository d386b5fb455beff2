/**
 * Writes a form as plain HTML for any page: it needs no script and no style of ours. It posts
 * without a stamp, so the visitor lands on the form's own page with the values filled in, and
 * presses its button.
 */
import type { SignUpFormRow } from '../../db/forms/sign-up-forms.ts'
import { consentOf, type FormTexts } from './form-texts.ts'
import { inputsOf } from './inputs-of.ts'
import { trapField } from './read-sign-up.ts'

export function writeEmbed(
  form: SignUpFormRow,
  { address, workspaceName }: { address: string; workspaceName: string },
  t: FormTexts,
): string {
  const inputs = inputsOf(form, t).map(({ name, label, type, autocomplete, max, required }) => {
    const hint = required ? '' : ` <small>(${escape(t.optional)})</small>`
    return [
      `  <p><label>${escape(label)}${hint}<br>`,
      `    <input name="${escape(name)}" type="${type}" autocomplete="${autocomplete}" maxlength="${max}"${required ? ' required' : ''}></label></p>`,
    ].join('\n')
  })
  return [
    `<form method="post" action="${escape(address)}" accept-charset="utf-8">`,
    ...inputs,
    `  <p style="position:absolute;left:-10000px" aria-hidden="true"><label>${escape(t.leaveEmpty)}`,
    `    <input name="${trapField}" tabindex="-1" autocomplete="off"></label></p>`,
    `  <p>${escape(consentOf(form, workspaceName, t)).replaceAll('\n', '<br>')}</p>`,
    `  <p><button>${escape(t.signUpButton)}</button></p>`,
    '</form>',
  ].join('\n')
}

const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
