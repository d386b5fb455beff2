/**
 * One captured mail: its sender and recipient, its status, its content. A frame without scripts
 * shows its HTML.
 */
import type { Language } from '../../../contract/errors.ts'
import type { CapturedRow } from '../../../db/captured/captured-mails.ts'
import type { RecipientRow } from '../../../db/messages/messages.ts'
import { html, type Html } from '../../../ground/html.ts'
import { fill } from '../../../ground/texts/texts.ts'
import type { ReadMail } from '../../../core/captured/read-mail.ts'
import { inUnits, inWords, capturedTexts, type CapturedTexts } from './texts.ts'

export type RenderedRecipient = Pick<RecipientRow, 'email' | 'kind' | 'status' | 'state' | 'error'>

export interface MailView {
  language: Language
  /** The address of this mail: `/captured/<workspace>/<id>`. */
  path: string
  workspace: string
  captured: CapturedRow
  /** Null if the mail could not be read within its limits. */
  mail: ReadMail | null
  /** All of the message's, in the order of its headers; a campaign's mail has one. */
  recipients: RenderedRecipient[]
}

export function renderCapturedMail(view: MailView): Html {
  const { captured, mail, path, workspace } = view
  const t = capturedTexts[view.language]
  return html` <nav class="bar"><a href="/captured?workspace=${workspace}">← ${t.back}</a></nav>
    <article>
      <h1><bdi>${mail?.subject || t.noSubject}</bdi></h1>
      <dl class="head">
        ${mail && mail.addresses.map(({ name, value }) => showLine(t[name], value))}
        ${showLine(t.date, inWords(mail?.date ?? captured.capturedAt.toISOString(), view.language))}
        ${showLine(t.envelope, fill(t.envelopeLine, { returnPath: captured.returnPath, recipient: captured.recipient }))}
      </dl>
      <p class="actions">
        <a href="${path}/raw">${t.source}</a> <a href="${path}/mail.eml" download>${t.download}</a>
        <span>${inUnits(captured.size, view.language)}</span>
      </p>
      ${showRecipients(view, t)}
      ${mail ? showContent(mail, path, { t, language: view.language }) : html`<p class="note">${t.unreadable}</p>`}
    </article>`
}

const showLine = (name: string, value: string): Html | null =>
  value === ''
    ? null
    : html`<div>
        <dt>${name}</dt>
        <dd><bdi>${value}</bdi></dd>
      </div>`

/** The texts, and the language of the numbers. */
interface Wording {
  t: CapturedTexts
  language: Language
}

const showRecipients = ({ recipients }: MailView, t: CapturedTexts): Html =>
  html` <section>
    <h2>${t.recipients}</h2>
    <ul class="recipients">
      ${recipients.map(
        (recipient) =>
          html`<li>
            <bdi>${recipient.email}</bdi> ${recipient.kind !== 'to' && html`<span class="tag">${t[recipient.kind]}</span>`}
            ${renderStatus(recipient, t)}${recipient.error !== null && html`<span class="reason"><bdi>${recipient.error}</bdi></span>`}
          </li>`,
      )}
    </ul>
  </section>`

/** Characters of text that the page shows. */
const textMax = 200_000

const showContent = (mail: ReadMail, path: string, { t, language }: Wording): Html =>
  html` ${
    mail.html !== null &&
    html`<section>
        <h2>${t.htmlPart} <small>${t.htmlNote}</small></h2>
        <div class="window">
          <iframe src="${path}/html" sandbox="" referrerpolicy="no-referrer" title="${t.htmlPart}"></iframe>
        </div>
      </section>`
  }
    ${
      mail.text !== null &&
      html`<section>
        <h2>${t.textPart}</h2>
        <pre class="text" dir="auto" tabindex="0">${mail.text.slice(0, textMax)}</pre>
        ${mail.text.length > textMax && html`<p class="note">${t.tooLong}</p>`}
      </section>`
    }
    ${mail.html === null && mail.text === null && html`<p class="note">${t.nothingToRead}</p>`}
    ${mail.links.length > 0 && showLinks(mail, t)} ${mail.files.length > 0 && showFiles(mail, path, { t, language })}
    <details>
      <summary>${t.headers}</summary>
      <pre class="text" tabindex="0">${mail.headers}</pre>
    </details>`

/** Lists the links of the mail, because none works in the frame. */
const showLinks = ({ links }: ReadMail, t: CapturedTexts): Html =>
  html` <section>
    <h2>${t.links} <small>${t.linksNote}</small></h2>
    <ul class="links">
      ${links.map(
        ({ address, text }) =>
          html`<li>
            <a href="${address}" target="_blank" rel="noreferrer noopener"><bdi>${text || address}</bdi></a>
            ${text !== '' && html`<bdi>${address}</bdi>`}
          </li>`,
      )}
    </ul>
  </section>`

const showFiles = ({ files }: ReadMail, path: string, { t, language }: Wording): Html =>
  html` <section>
    <h2>${t.files}</h2>
    <ul class="files">
      ${files.map(
        ({ name, type, size }, index) =>
          html`<li>
            <a href="${path}/files/${index}" download><bdi>${name ?? t.namelessFile}</bdi></a>
            <span><bdi>${type}</bdi> · ${inUnits(size, language)}</span>
          </li>`,
      )}
    </ul>
  </section>`

/** A recipient's status as a badge: a word with a colour, which never carries the meaning alone. */
export function renderStatus(
  { status, state }: Pick<RecipientRow, 'status' | 'state'>,
  t: CapturedTexts,
): Html {
  return html`<span class="status ${status}">${state === 'in_doubt' ? t.inDoubt : t.status[status]}</span>`
}
