/** The layout of every page of the capture mailbox. */
import type { Language } from '../../../contract/errors.ts'
import { html, type Html } from '../../../ground/html.ts'
import { capturedTexts } from './texts.ts'

export interface Page {
  language: Language
  title: string
  content: Html
  /** Seconds after which the browser asks again; null is never. */
  refreshSeconds: number | null
  /** Whether the request came in by the token, so that the page offers to sign out. */
  mayLeave: boolean
}

export function layOutCapturedPage({
  language,
  title,
  content,
  refreshSeconds,
  mayLeave,
}: Page): Html {
  const t = capturedTexts[language]
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <title>${title} · Facteur</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refreshSeconds !== null && html`<meta http-equiv="refresh" content="${refreshSeconds}" />`}
        <link rel="icon" href="/captured/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/captured/style.css" />
      </head>
      <body>
        <header class="top">
          <a class="brand" href="/captured"><img src="/captured/icon.svg" alt="" width="28" height="28" /> Facteur</a>
          ${mayLeave && html`<form method="post" action="/captured/leave"><button class="quiet">${t.leave}</button></form>`}
        </header>
        <main>${content}</main>
      </body>
    </html> `
}
