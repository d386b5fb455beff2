/** The sign-in page for requests from other machines, where the operator has set a token: a form that asks for it. */
import type { Language } from '../../../contract/errors.ts'
import { html, type Html } from '../../../html.ts'
import { capturedTexts } from './texts.ts'

/** `next`: the page that was asked for. */
export function renderLogin({ language, next, wrong }: { language: Language; next: string; wrong: boolean }): Html {
  const t = capturedTexts[language]
  return html` <section class="login">
    <h1>${t.loginTitle}</h1>
    <p>${t.loginLead}</p>
    <form method="post" action="/captured/enter">
      <input type="hidden" name="next" value="${next}" />
      <label for="token">${t.token}</label>
      <input
        id="token"
        name="token"
        type="password"
        autocomplete="current-password"
        required${wrong && html` aria-invalid="true" aria-describedby="wrong"`}
      />
      ${wrong && html`<p class="wrong" id="wrong" role="alert">${t.wrongToken}</p>`}
      <button>${t.enter}</button>
    </form>
  </section>`
}
