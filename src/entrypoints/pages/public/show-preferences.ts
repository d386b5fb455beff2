/** Shows what a contact may choose beside leaving everything: topics, and their language. */
import type { Preferences } from '../../../core/audience/preferences/find-preferences.ts'
import { showTopicBoxes } from '../../../core/audience/preferences/topic-boxes.ts'
import { html, type Html } from '../../../ground/html.ts'
import { languageNames } from '../../../ground/texts/languages.ts'
import { fill } from '../../../ground/texts/texts.ts'
import type { PublicTexts } from './texts.ts'

/** Leaves everything, with one click. */
export const leaveButton = (token: string, label: string): Html =>
  html`<form method="post" action="/unsubscribe/${token}"><button>${label}</button></form>`

export function showPreferences(
  { contact, token, workspaceName }: { contact: Preferences; token: string; workspaceName: string },
  t: PublicTexts,
): Html {
  const { topics } = contact
  return html`
    <h2>${t.preferences}</h2>
    <form method="post" action="/preferences/${token}">
      ${topics.length > 0 && showTopicBoxes(topics, t.topics)}
      ${topics.length > 0 && html`<p class="small">${fill(t.everyTopicLeft, { workspace: workspaceName })}</p>`}
      <label for="language">${t.contactLanguage}</label>
      <select id="language" name="language" autocomplete="off">
        ${showLanguages(contact.language, t)}
      </select>
      <button class="second">${t.preferencesButton}</button>
    </form>
  `
}

const showLanguages = (chosen: Preferences['language'], t: PublicTexts): Html[] =>
  [['', t.browserLanguage] as const, ...Object.entries(languageNames)].map(
    ([value, name]) =>
      html`<option value="${value}"${value !== '' && html` lang="${value}"`}${value === (chosen ?? '') && html` selected`}>${name}</option>`,
  )
