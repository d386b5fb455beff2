/** The 404 page for browsers; programs get the API's error envelope. */
import type { RenderMissing } from '../../../core/dispatch/entry-points.ts'
import type { Service } from '../../../core/context.ts'
import { html } from '../../../ground/html.ts'
import { renderPublicPage, type AnsweredPage } from './public-pages.ts'

/** Only programs call paths below these, whatever their Accept header says. */
const programPaths = /^\/+(?:api|mcp|workspaces|people)(?:\/|$)/

/** Replaces a 404 by a page if a browser asked; every other answer stays. */
export function createRenderMissing(service: Pick<Service, 'settings'>): RenderMissing {
  return (answer, { method, url, headers: requested }) => {
    const isPage =
      (method === 'GET' || method === 'HEAD') && (requested.accept ?? '').includes('text/html')
    if (answer.status !== 404 || !isPage || programPaths.test(url.split('?', 1)[0] ?? ''))
      return answer
    const { headers, markup } = renderPublicPage(service, requested['accept-language'], missing)
    const { 'Content-Type': type = '', ...others } = headers
    const vary = { Vary: `${others['Vary']}, Accept` }
    return {
      ...answer,
      headers: { ...answer.headers, ...others, ...vary },
      file: { type, name: null, bytes: Buffer.from(markup) },
    }
  }
}

const missing: AnsweredPage = {
  workspace: null,
  show: (t) => ({
    title: t.missing,
    content: html`<p>${t.missingLead}</p>
      <p class="small"><a href="/app">${t.missingLink}</a></p>`,
  }),
}
