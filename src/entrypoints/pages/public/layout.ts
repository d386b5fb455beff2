/** The frame of the pages that the readers of a workspace's mail see: its name, one matter, nothing else. */
import type { Language } from '../../../contract/errors.ts'
import { html } from '../html.ts'
import type { Html } from '../html.ts'

export interface PublicPage {
  language: Language
  /** Whose page it is; null when nobody's link was followed. */
  workspaceName: string | null
  title: string
  content: Html
}

export const styleAddress = '/pages/style.css'

export const layOut = ({ language, workspaceName, title, content }: PublicPage): Html =>
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
      </head>
      <body>
        <main>
          ${workspaceName !== null && html`<p class="whose">${workspaceName}</p>`}
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `
