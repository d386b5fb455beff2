/**
 * Writes a form as HTML for any page, without a style of ours. Alone it needs no script: it posts
 * without a stamp, so the visitor lands on the form's own page with the values filled in, and
 * presses its button. With the script, on pages of the form's origins, the visitor stays there.
 */
import type { SignUpFormRow } from '../../db/forms/sign-up-forms.ts'
import { consentOf, type FormTexts } from './form-texts.ts'
import { inputsOf, type FormInput } from './inputs-of.ts'
import { namesOfBoxes } from '../audience/preferences/topic-boxes.ts'
import { trapField } from './read-sign-up.ts'
import type { FormAsks } from './typed-asks.ts'

type TypedForm = SignUpFormRow & FormAsks

interface EmbedTarget {
  /** Of the form's page. */
  address: string
  workspaceName: string
}

export const writeEmbed = (form: TypedForm, location: EmbedTarget, t: FormTexts): string =>
  writeElement(form, location, t).join('\n')

/**
 * The same element with a line that screen readers announce. The script takes over where it runs:
 * it reports there, marks the field that is wrong, and goes on to the owner's page.
 */
export function writeSnippet(form: TypedForm, location: EmbedTarget, t: FormTexts): string {
  const element = writeElement(form, location, t)
  return [
    ...element.slice(0, -1),
    '  <p role="status"></p>',
    ...element.slice(-1),
    `<script type="module">
document.querySelector('form[action="${location.address}"]').addEventListener('submit', async (event) => {
  const form = event.target; event.preventDefault()
  const status = form.querySelector('[role=status]')
  status.textContent = ${scriptText(t.signingUp)}
  const request = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(Object.fromEntries(new FormData(form))) }
  const answer = await fetch(form.action + '/json', request).then((response) => response.json()).catch(() => ({}))
  status.textContent = answer.message ?? ${scriptText(t.signUpFailed)}
  form.elements[answer.error?.details?.path]?.focus()
  if (answer.object === 'sign_up') answer.thanks_url ? location.assign(answer.thanks_url) : form.reset()
})
</script>`,
  ].join('\n')
}

/** Our own words within a script. */
const scriptText = (text: string): string => JSON.stringify(text).replaceAll('<', '\\u003c')

function writeElement(
  form: TypedForm,
  { address, workspaceName }: EmbedTarget,
  t: FormTexts,
): string[] {
  const inputs = inputsOf(form, t).map((input) => {
    const hint = input.required ? '' : ` <small>(${escape(t.optional)})</small>`
    return [
      `  <p><label>${escape(input.label)}${hint}<br>`,
      `    ${writeControl(input)}</label></p>`,
    ].join('\n')
  })
  return [
    `<form method="post" action="${escape(address)}" accept-charset="utf-8">`,
    ...inputs,
    ...writeTopics(form, t),
    `  <p style="position:absolute;left:-10000px" aria-hidden="true"><label>${escape(t.leaveEmpty)}`,
    `    <input name="${trapField}" tabindex="-1" autocomplete="off"></label></p>`,
    `  <p>${escape(consentOf(form, workspaceName, t)).replaceAll('\n', '<br>')}</p>`,
    `  <p><button>${escape(t.signUpButton)}</button></p>`,
    '</form>',
  ]
}

function writeTopics({ offeredTopics }: FormAsks, t: FormTexts): string[] {
  if (offeredTopics.length === 0) return []
  const [hidden = '', ...boxes] = namesOfBoxes(offeredTopics.map(({ id }) => id))
  const shown = offeredTopics.map(({ id }) => id).join(' ')
  return [
    `  <fieldset><legend>${escape(t.topics)}</legend><input type="hidden" name="${hidden}" value="${shown}">`,
    ...offeredTopics.map(({ name, description }, at) => {
      const hint = description === null ? '' : ` <small>${escape(description)}</small>`
      return `    <p><label><input type="checkbox" name="${boxes[at]}" value="on"> ${escape(name)}${hint}</label></p>`
    }),
    '  </fieldset>',
  ]
}

function writeControl({ name, type, autocomplete, max, required, options }: FormInput): string {
  if (options) {
    const shown = [{ value: '', label: '' }, ...options].map(
      ({ value, label }) => `<option value="${escape(value)}">${escape(label)}</option>`,
    )
    return `<select name="${escape(name)}" autocomplete="${autocomplete}">${shown.join('')}</select>`
  }
  const step = type === 'number' ? ' step="any"' : ''
  return `<input name="${escape(name)}" type="${type}" autocomplete="${autocomplete}" maxlength="${max}"${step}${required ? ' required' : ''}>`
}

const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
