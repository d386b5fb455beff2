/** Renders the page of a sign-up form: its fields, the consent text, and one button. */
import { consentOf, type FormTexts } from './form-texts.ts'
import { inputsOf, type FormInput } from './inputs-of.ts'
import { readTopicBoxes, showTopicBoxes } from '../audience/preferences/topic-boxes.ts'
import { trapField, type SignUpProblems } from './read-sign-up.ts'
import type { SignUpFormRow } from '../../db/forms/sign-up-forms.ts'
import type { TopicOfContact } from '../../db/audience/topic-choices.ts'
import { html, type Html } from '../../ground/html.ts'
import type { FormAsks } from './typed-asks.ts'

export interface FormView {
  form: Pick<SignUpFormRow, 'intro' | 'consent'> & FormAsks
  /** The address that it posts to. */
  action: string
  workspaceName: string
  stamp: string
  /** The values that the visitor typed before. */
  typed: ReadonlyMap<string, string>
  problems: SignUpProblems
  /** A message above the fields; null when the form is shown for the first time. */
  notice: string | null
}

export function renderForm(
  { form, action, workspaceName, stamp, typed, problems, notice }: FormView,
  t: FormTexts,
): Html {
  return html`
    ${form.intro !== null && html`<p class="lines">${form.intro}</p>`}
    ${notice !== null && html`<p role="status"><strong>${notice}</strong></p>`}
    <form method="post" action="${action}" accept-charset="utf-8">
      ${inputsOf(form, t).map((input) => showInput(input, { typed, problems }, t))}
      ${form.offeredTopics.length > 0 && showTopicBoxes(ticked(form.offeredTopics, typed), t.topics)}
      <div class="extra" aria-hidden="true">
        <label for="${trapField}">${t.leaveEmpty}</label>
        <input id="${trapField}" name="${trapField}" tabindex="-1" autocomplete="off" />
      </div>
      <input type="hidden" name="stamp" value="${stamp}" />
      <p class="lines" id="consent">${consentOf(form, workspaceName, t)}</p>
      <button aria-describedby="consent">${t.signUpButton}</button>
      <p class="small">${t.signUpNotice}</p>
    </form>
  `
}

/** The topics as the visitor ticked them before. */
function ticked(topics: TopicOfContact[], typed: ReadonlyMap<string, string>): TopicOfContact[] {
  const chosen = readTopicBoxes(typed).filter(({ subscribed }) => subscribed)
  return topics.map((topic) => ({
    ...topic,
    subscribed: chosen.some(({ id }) => id === topic.id),
  }))
}

function showInput(
  input: FormInput,
  { typed, problems }: Pick<FormView, 'typed' | 'problems'>,
  t: FormTexts,
): Html {
  const problem = problems.get(input.name) ?? null
  const wrong = `${input.name}-wrong`
  return html`<label for="${input.name}">${input.label}${!input.required && html` <small>(${t.optional})</small>`}</label>
    ${control(input, typed.get(input.name) ?? '', problem !== null && html` aria-invalid="true" aria-describedby="${wrong}"`)}
    ${problem !== null && html`<p class="wrong" id="${wrong}">${t.problem[problem]}</p>`}`
}

function control(input: FormInput, value: string, invalid: Html | false): Html {
  const named = html`id="${input.name}" name="${input.name}" autocomplete="${input.autocomplete}"`
  if (input.options)
    return html`<select ${named}${invalid}>
      <option value=""></option>
      ${input.options.map(
        (option) =>
          html`<option value="${option.value}"${option.value === value && html` selected`}>${option.label}</option>`,
      )}
    </select>`
  return html`<input
    ${named}
    type="${input.type}"
    maxlength="${input.max}"
    value="${value}"
    ${input.type === 'number' && html` step="any"`}${input.required && html` required`}${invalid}
  />`
}
