/**
 * The page `/docs`: the reference with its contents beside it, and under each operation a form to
 * call it.
 */
import type { Language } from '../../../contract/errors.ts'
import { apiOperationIds, operations } from '../../../contract/operations.ts'
import { documentedWorld } from '../../../contract/reference/example-world.ts'
import { anchor } from '../../../contract/reference/markdown.ts'
import { reference } from '../../../contract/reference.ts'
import { html, type Html } from '../../../ground/html.ts'
import { texts } from '../../../ground/texts/texts.ts'
import { renderMarkdown, type Section } from './render-markdown.ts'
import { renderTryForm } from './try-form.ts'

/** The flavours of examples by the first words of their titles. */
const flavours = [
  ['curl', 'curl'],
  ['TypeScript, facteur/client', 'TypeScript'],
  ['TypeScript, the resend', 'resend SDK'],
] as const

export function renderReference(baseUrl: string, language: Language): Html {
  const t = texts[language].docsPage
  const sections = renderMarkdown(reference(baseUrl))
  const forms = new Map(apiOperationIds.map((id) => [anchor(operations[id].summary), id]))
  const showForm = (section: Section): Html | null => {
    const id = section.level === 3 ? forms.get(section.id) : undefined
    return id === undefined ? null : renderTryForm(id, documentedWorld(baseUrl), language)
  }
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <title>${t.title} · Facteur</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
        <link rel="alternate" type="text/markdown" href="/docs/api.md" title="${t.asText}" />
        <link rel="stylesheet" href="/docs/style.css" />
        <script type="module" src="/docs/try.js"></script>
      </head>
      <body>
        <header class="top">
          <a class="brand" href="/docs"><img src="/docs/icon.svg" alt="" width="28" height="28" /> Facteur</a>
          <a href="/docs/api.md">${t.asText}</a>
          <form class="tools" hidden>
            <input type="text" autocomplete="username" value="Facteur" readonly hidden />
            <label
              >${t.examples}<select id="flavour">
                ${flavours.map(([begin, name]) => html`<option value="${begin}">${name}</option>`)}
              </select></label
            >
            <label
              >${t.key}<input
                id="key"
                type="password"
                autocomplete="off"
                spellcheck="false"
                placeholder="fct_live_…"
                aria-describedby="key-note"
            /></label>
            <button>${t.checkKey}</button>
            <small id="key-note">${t.keyNote}</small>
          </form>
        </header>
        <div class="page">
          <nav aria-label="${t.contents}">${showContents(sections)}</nav>
          <main>
            ${t.language !== '' && html`<p class="note">${t.language}</p>`}
            <div lang="en">
              ${sections.map((section) => html`<section>${showHeading(section)}${section.content}${showForm(section)}</section>`)}
            </div>
          </main>
        </div>
      </body>
    </html> `
}

function showContents(sections: Section[]): Html {
  const shown = sections.filter(({ level }) => level === 2 || level === 3)
  return html`<ul>
    ${shown.map(({ level, id, title }) => html`<li class="${level === 2 ? 'part' : 'operation'}"><a href="#${id}">${title}</a></li>`)}
  </ul>`
}

function showHeading({ level, id, title }: Section): Html | null {
  const shown = title.replaceAll('`', '')
  const link = html`<a class="here" href="#${id}" aria-label="${shown}">#</a>`
  if (level === 1) return html`<h1 id="${id}">${shown}</h1>`
  if (level === 2) return html`<h2 id="${id}">${shown} ${link}</h2>`
  if (level === 3) return html`<h3 id="${id}">${shown} ${link}</h3>`
  return level === 4 ? html`<h4 id="${id}">${shown}</h4>` : null
}
