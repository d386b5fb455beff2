/** The layout of the form that asks for the operator's token. */
import type { Language } from '../../../contract/errors.ts'
import { html, type Html } from '../../../ground/html.ts'

interface Page {
  language: Language
  title: string
  content: Html
}

export function layOutCapturedPage({ language, title, content }: Page): Html {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <title>${title} · Facteur</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="stylesheet" href="/captured/style.css" />
      </head>
      <body>
        <header class="top"><a class="brand" href="/captured">Facteur</a></header>
        <main>${content}</main>
      </body>
    </html> `
}
