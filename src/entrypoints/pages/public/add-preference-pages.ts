/**
 * `POST /preferences/{token}`: stores the topics and the language that a contact chose beside the
 * unsubscribe button, and shows what they receive then.
 *
 * The token is that of the unsubscribe link, and all that it needs.
 */
import type { FastifyRequest } from 'fastify'
import { choosePreferences } from '../../../core/audience/preferences/choose-preferences.ts'
import {
  findPreferences,
  type Preferences,
} from '../../../core/audience/preferences/find-preferences.ts'
import { readTopicBoxes } from '../../../core/audience/preferences/topic-boxes.ts'
import type { Service } from '../../../core/context.ts'
import { ofWorkspace } from '../../../core/databases.ts'
import { chooseRecipientLanguage } from '../../../core/dispatch/call.ts'
import {
  workspaceSettings,
  type WorkspaceSettings,
} from '../../../db/workspaces/workspace-settings.ts'
import { html, type Html } from '../../../ground/html.ts'
import type { LinkSubject } from '../../../ground/link-tokens.ts'
import { fill } from '../../../ground/texts/texts.ts'
import { tokenOf } from './add-confirm-pages.ts'
import { notValid, tooMany, type AnsweredPage, type PublicPages } from './public-pages.ts'
import { languageNames, readRecipientLanguage } from '../../../ground/texts/languages.ts'
import { leaveButton } from './show-preferences.ts'
import { publicTextsIn, type PublicTexts } from './texts.ts'

/** As many characters of a user agent as other evidence has. */
export const evidenceAgentMax = 500

export function addPreferencePages(pages: PublicPages, home: Service): void {
  pages.addAct('/preferences/:token', async (request, reply) => {
    const token = tokenOf(request)
    const subject = home.linkTokens.read('unsubscribe', token)
    const posted = subject && (await pages.readPosted(request, reply))
    if (!subject || !posted) return notValid
    const service = await ofWorkspace(home, subject.workspaceId)
    const workspace = await workspaceSettings(service.db, subject.workspaceId)
    const result = await choose(service, { request, subject, posted, workspace })
    if (result === 'too_many') return tooMany({ workspace })
    // Who left everything, or was erased, finds that on the page of the link.
    if (result === null) return { goTo: `/unsubscribe/${token}` }
    const { second: subscriberId, workspaceId } = subject
    const contact = await findPreferences(service, { workspaceId, subscriberId })
    return contact ? saved(workspace, contact, token) : notValid
  })
}

/** Evidence has the words in the language of the page that the contact saw. */
async function choose(
  service: Service,
  {
    request,
    subject,
    posted,
    workspace,
  }: {
    request: FastifyRequest
    subject: LinkSubject
    posted: ReadonlyMap<string, string>
    workspace: WorkspaceSettings
  },
) {
  const before = await findPreferences(service, {
    workspaceId: subject.workspaceId,
    subscriberId: subject.second,
  })
  const usual = workspace.language ?? service.settings.language
  const shown =
    before?.language ?? chooseRecipientLanguage(request.headers['accept-language'], usual)
  const t = publicTextsIn(shown)
  const button = `[${t.preferencesButton}]`
  return choosePreferences(service, {
    subject,
    choosing: {
      topics: readTopicBoxes(posted),
      language: readRecipientLanguage(posted.get('language')),
      sayTopic: ({ name, subscribed }) =>
        [t.preferences, t.topics, `[${subscribed ? 'x' : ' '}] ${name}`, button].join('\n'),
      sayLanguage: (language) =>
        [
          ...[t.preferences, t.contactLanguage],
          `[x] ${language === null ? t.browserLanguage : languageNames[language]}`,
          button,
        ].join('\n'),
      ip: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, evidenceAgentMax) ?? null,
    },
  })
}

const saved = (
  workspace: WorkspaceSettings,
  contact: Preferences,
  token: string,
): AnsweredPage => ({
  workspace,
  language: contact.language,
  show: (t) => ({
    title: t.preferencesSaved,
    content: html`${contact.topics.length > 0 && sayTopics(workspace.name, contact, token, t)}
      <p class="small"><a href="/unsubscribe/${token}">${t.preferencesAgain}</a></p>`,
  }),
})

/** Who leaves the last topic still gets campaigns for none: the page says so, and offers the rest. */
function sayTopics(
  workspaceName: string,
  { email, topics }: Preferences,
  token: string,
  t: PublicTexts,
): Html {
  const names = { workspace: workspaceName, email }
  const receives = topics.filter(({ subscribed }) => subscribed)
  if (receives.length > 0)
    return html`<p>${fill(t.preferencesSavedLead, names)}</p>
      <ul>
        ${receives.map(({ name }) => html`<li>${name}</li>`)}
      </ul>`
  return html`<p>${fill(t.noTopicLeft, names)} ${fill(t.everyTopicLeft, names)}</p>
    ${leaveButton(token, t.unsubscribeAllButton)}`
}
