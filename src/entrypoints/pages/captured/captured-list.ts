/** The list of captured mails, newest first; an empty one explains how to send the first. */
import type { Language } from '../../../contract/errors.ts'
import type { CapturedMailRow } from '../../../db/captured/captured-mails.ts'
import { subjectOf } from '../../../core/presentation/subject-of.ts'
import { html, type Html } from '../../../ground/html.ts'
import { simulators } from '../../../providers/local-capture/local-capture.ts'
import { renderStatus } from './captured-mail.ts'
import { ago, capturedTexts, type CapturedTexts } from './texts.ts'

export interface ListView {
  language: Language
  now: Date
  entries: CapturedMailRow[]
  /** Slugs to choose from. */
  workspaces: string[]
  /** The chosen one; null is all. */
  workspace: string | null
  /** Cursor of the next page; null on the last. */
  older: string | null
  /** Whether this is the first page, which shows arriving mails. */
  first: boolean
  refreshes: boolean
  captures: boolean
  baseUrl: string
  /** How the operator calls our command line. */
  program: string
  /** The sender of the example. */
  sender: string
}

export function renderList(view: ListView): Html {
  const t = capturedTexts[view.language]
  return html` <div class="bar">
      <h1>${t.title}</h1>
      ${view.workspaces.length > 1 && chooseWorkspace(view, t)}
      ${view.first && html`<a class="quiet" href="${address(view, { refresh: !view.refreshes })}">${view.refreshes ? t.pauseRefresh : t.resumeRefresh}</a>`}
    </div>
    ${!view.captures && html`<p class="note">${t.relayNote}</p>`}
    ${view.entries.length > 0 ? showEntries(view, t) : showEmpty(view, t)}
    <nav class="pages">
      ${!view.first && html`<a href="${address(view, {})}">${t.newest}</a>`}
      ${view.older !== null && html`<a rel="next" href="${address(view, { before: view.older })}">${t.older}</a>`}
    </nav>
    ${simulatorsHelp(t, view.entries.length === 0)}`
}

/** The list's own address with another page, or with refreshing turned off or on again. */
function address(
  view: ListView,
  { before, refresh = view.refreshes }: { before?: string; refresh?: boolean },
): string {
  const query = new URLSearchParams({
    ...(view.workspace !== null && { workspace: view.workspace }),
    ...(before !== undefined && { before }),
    ...(!refresh && { refresh: 'off' }),
  }).toString()
  return query === '' ? '/captured' : `/captured?${query}`
}

const chooseWorkspace = ({ workspaces, workspace }: ListView, t: CapturedTexts): Html =>
  html` <form class="filter" method="get" action="/captured">
    <label for="workspace">${t.workspace}</label>
    <select id="workspace" name="workspace">
      <option value="">${t.allWorkspaces}</option>
      ${workspaces.map((slug) => html`<option value="${slug}" ${slug === workspace && html` selected`}>${slug}</option>`)}
    </select>
    <button>${t.show}</button>
  </form>`

const showEntries = (view: ListView, t: CapturedTexts): Html =>
  html` <ul class="mails">
    ${view.entries.map((entry) => showEntry(entry, view, t))}
  </ul>`

function showEntry(
  entry: CapturedMailRow,
  { language, now, workspaces }: ListView,
  t: CapturedTexts,
): Html {
  const at = entry.capturedAt.toISOString()
  return html`<li>
    <a href="/captured/${entry.workspace}/${entry.id}">
      <span class="subject"><bdi>${subjectOf(entry) || t.noSubject}</bdi></span>
      ${renderStatus(entry, t)}
      <span class="who"><bdi>${entry.fromName ?? entry.fromAddress}</bdi> → <bdi>${entry.recipient}</bdi></span>
      <span class="when"
        >${workspaces.length > 1 && html`<span class="tag">${entry.workspace}</span> `}<time datetime="${at}" title="${at}"
          >${ago(entry.capturedAt, now, language)}</time
        ></span
      >
    </a>
  </li> `
}

function showEmpty(
  { baseUrl, program, sender, workspace, workspaces }: ListView,
  t: CapturedTexts,
): Html {
  const mail = JSON.stringify({
    from: sender,
    to: 'you@example.com',
    subject: 'Hello',
    text: 'It works.',
  })
  return html` <section class="empty">
    <h2>${t.empty}</h2>
    <p>${t.emptyLead}</p>
    <pre tabindex="0"><code>curl ${baseUrl}/api/v1/emails \\
  -H "Authorization: Bearer $FACTEUR_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${mail}'</code></pre>
    <p>${t.emptyKey}</p>
    <pre
      tabindex="0"
    ><code>${program} key create --workspace ${workspace ?? workspaces[0] ?? 'demo'} --name curl --scopes emails:send</code></pre>
  </section>`
}

/** Which recipients at simulator.test simulate which outcome. */
const simulatorsHelp = (t: CapturedTexts, open: boolean): Html =>
  html` <details class="help" ${open && html` open`}>
    <summary>${t.simulators}</summary>
    <p>${t.simulatorsLead}</p>
    <table>
      <thead>
        <tr>
          <th scope="col">${t.address}</th>
          <th scope="col">${t.whatHappens}</th>
        </tr>
      </thead>
      <tbody>
        ${simulators.map(
          (name) =>
            html`<tr>
              <td>
                <code>${name}@<wbr />simulator.test</code>
              </td>
              <td>${t.simulator[name]}</td>
            </tr>`,
        )}
        <tr>
          <td>${t.anyOther}</td>
          <td>${t.simulator.delivered}</td>
        </tr>
      </tbody>
    </table>
  </details>`
