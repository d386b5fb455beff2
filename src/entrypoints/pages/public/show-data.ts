/** Shows a contact what is stored about them: their record, consent, mails, and opens and clicks. */
import { limits } from '../../../contract/limits.ts'
import type { OpenedData } from '../../../core/audience/data-requests/open-data.ts'
import type { ReaderData } from '../../../core/audience/data-requests/present-reader-data.ts'
import type { FieldRow } from '../../../db/audience/subscriber-fields.ts'
import type { WorkspaceSettings } from '../../../db/workspaces/workspace-settings.ts'
import type { ConsentSource } from '../../../db/audience/consents.ts'
import { languageNames, type RecipientLanguage } from '../../../ground/texts/languages.ts'
import { html, type Html } from '../../../ground/html.ts'
import { fill } from '../../../ground/texts/texts.ts'
import type { PublicTexts } from './texts.ts'

interface Entry {
  /** RFC 3339; null where none is known. */
  at: string | null
  text: string
}

/** The data, with the names and the time zone that its page needs. */
interface ShownData extends OpenedData {
  workspace: Pick<WorkspaceSettings, 'name' | 'timeZone'>
  writeTo: string
  fields: Pick<FieldRow, 'key' | 'label'>[]
}

/** `at` is RFC 3339. */
type SayTime = (at: string) => string

export function showData(
  { contact, fileToken, workspace, writeTo, fields }: ShownData,
  t: PublicTexts,
  language: RecipientLanguage,
): Html {
  const timeZone = workspace.timeZone ?? 'UTC'
  const sayTime: SayTime = (at) =>
    new Date(at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  const list = (title: string, entries: Entry[]): Html => showList(title, { entries, sayTime }, t)
  return html`
    <p>${fill(t.dataShownLead, { zone: timeZone })}</p>
    ${!contact.complete && html`<p>${fill(t.dataIncomplete, { max: limits.contactExportMax, contact: writeTo })}</p>`}
    ${showRecord(contact, { fields, sayTime }, t)}
    ${list(
      t.dataConsents,
      contact.consents.map((consent) => sayConsent(consent, workspace.name, t)),
    )}
    ${list(t.dataMails, mailsOf(contact, t))}
    ${list(
      t.dataEngagement,
      contact.engagement.map(({ at, kind, url }) => ({
        at,
        text: `${kind === 'open' ? t.dataOpened : t.dataClicked} ${url ?? ''}`,
      })),
    )}
    ${
      contact.sign_ups.length > 0 &&
      list(
        t.dataSignUps,
        contact.sign_ups.map((signUp) => ({ at: signUp.created_at, text: saySignUp(signUp) })),
      )
    }
    ${
      contact.import_refusals.length > 0 &&
      list(
        t.dataRefusals,
        contact.import_refusals.map(({ at }) => ({ at, text: '' })),
      )
    }
    <h2>${t.dataFile}</h2>
    <p>${t.dataFileLead}</p>
    <form method="post" action="/data/${fileToken}/file"><button class="second">${t.dataFileButton}</button></form>
  `
}

function showRecord(
  { email, subscriber, suppression }: ReaderData,
  { fields, sayTime }: Pick<ShownData, 'fields'> & { sayTime: SayTime },
  t: PublicTexts,
): Html {
  const labels = new Map(fields.map(({ key, label }) => [key, label]))
  const values = Object.entries(subscriber?.fields ?? {})
  const topics = (subscriber?.topics ?? []).filter(({ subscribed }) => subscribed)
  const facts: [string, string | null | undefined][] = [
    [t.dataEmail, email],
    [t.dataName, [subscriber?.firstName, subscriber?.lastName].filter(Boolean).join(' ')],
    [t.dataStatus, subscriber && t.dataStatuses[subscriber.status]],
    [t.dataSince, subscriber && sayTime(subscriber.created_at)],
    [t.dataTags, subscriber?.tags.join(', ')],
    [t.dataLanguage, subscriber?.language && languageNames[subscriber.language]],
    [t.dataTopics, topics.map(({ name }) => name).join(', ')],
    ...values.map(([key, value]): [string, string] => [labels.get(key) ?? key, value]),
    [t.dataSuppressed, suppression.map((entry) => sayTime(entry.created_at)).join(', ')],
  ]
  return html`<h2>${t.dataRecord}</h2>
    <dl>${facts.map(([name, value]) => Boolean(value) && html`<dt>${name}</dt><dd>${value ?? ''}</dd>`)}</dl>`
}

function sayConsent(
  { act, at, topic, source }: ReaderData['consents'][number],
  workspace: string,
  t: PublicTexts,
): Entry {
  const isByOthers = act === 'unsubscribed' && !ownWays.has(source)
  const words = isByOthers ? t.dataUnsubscribedBy : wordOf(t.dataActs, act)
  return { at, text: fill(words, { topic: topic ?? '', workspace }) }
}

/** The ways of contacts themselves to unsubscribe. */
const ownWays: ReadonlySet<string> = new Set<ConsentSource>(['link', 'one-click', 'mailto'])

/** Newest first, single messages and those of campaigns together. */
function mailsOf({ emails, campaigns }: ReaderData, t: PublicTexts): Entry[] {
  const entries = [
    ...emails.map((mail) => ({ ...mail, at: mail.sent_at ?? mail.created_at })),
    ...campaigns.map((mail) => ({ ...mail, at: mail.sent_at })),
  ].map(({ at, subject, status, opened_at: openedAt, clicked_at: clickedAt }) => {
    const acts = [openedAt && t.dataOpened, clickedAt && t.dataClicked].filter(Boolean)
    return { at, text: [subject, wordOf(t.dataStatuses, status), ...acts].join(' · ') }
  })
  return entries.toSorted((mail, other) => ((mail.at ?? '') < (other.at ?? '') ? 1 : -1))
}

const saySignUp = ({
  first_name: first,
  last_name: last,
  fields,
}: ReaderData['sign_ups'][number]): string =>
  [first, last, ...Object.values(fields)].filter(Boolean).join(', ')

const showList = (
  title: string,
  { entries, sayTime }: { entries: Entry[]; sayTime: SayTime },
  t: PublicTexts,
): Html => html`
  <h2>${title}</h2>
  ${
    entries.length === 0
      ? html`<p>${t.dataNone}</p>`
      : html`<ul class="entries">
        ${entries.map(({ at, text }) => html`<li>${at !== null && html`<small>${sayTime(at)}</small>`} ${text}</li>`)}
      </ul>`
  }
`

/** A word of the contract that has no text yet stands for itself. */
const wordOf = (words: Record<string, string>, word: string): string =>
  Object.hasOwn(words, word) ? (words[word] ?? word) : word
