/** Renders the frame of public pages for readers of a workspace's mail: its name and one topic. */
import type { RecipientLanguage } from '../../ground/texts/languages.ts'
import type { FormColours } from '../../contract/workspace/forms.ts'
import { html, type Html } from '../../ground/html.ts'

export interface PublicPage {
  language: RecipientLanguage
  /** The workspace of the page; null when no valid link was followed. */
  workspaceName: string | null
  title: string
  content: Html
  /** The workspace's colours. Absent or null means ours, light and dark. */
  colours?: FormColours | null
}

export const styleAddress = '/pages/style.css'

/**
 * Colours come as a separate stylesheet, since the CSP forbids inline styles; its address contains
 * the colours.
 */
export const coloursPath = '/pages/colours.css'

const coloursAddress = (colours: FormColours): string =>
  `${coloursPath}?${new URLSearchParams({ ...colours }).toString()}`

export const layOutHostedPage = ({
  language,
  workspaceName,
  title,
  content,
  colours = null,
}: PublicPage): Html =>
  html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <title>${title}${workspaceName !== null && ` · ${workspaceName}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="referrer" content="no-referrer" />
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${styleAddress}" />
        ${colours !== null && html`<link rel="stylesheet" href="${coloursAddress(colours)}" />`}
      </head>
      <body>
        <main>
          ${workspaceName !== null && html`<p class="whose">${workspaceName}</p>`}
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `
