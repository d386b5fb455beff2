/**
 * Refusals that name their cause on the pages, in both languages: a mail server says them on a real
 * socket, and the page of the mail, of the campaign and of the domain say what mends them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { refusalCauses } from '../../src/mail/reports/refusals/find-refusal-cause.ts'
import { fill, texts } from '../../src/ground/texts/texts.ts'
import { startBrowser } from '../support/browser.ts'
import {
  addSubscribers,
  draftOf,
  send,
  untilCampaign,
  untilSent,
} from '../support/campaign-world.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { refusalReplies } from '../support/refusal-replies.ts'
import { answerDots, handedOver, startRelayWorld } from '../support/relay-world.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startRelayWorld({ workers: true, entry: operatorEntryPoints() })
const workspace = await api.workspace('shop')
const world = { browser, api, workspace, slug: 'shop' }

/** The text of the notice about a cause, once it is there. */
const noticeOf = (page: Page, cause: string): Promise<string> =>
  page.locator(`[data-refusal="${cause}"]`).innerText()

const sample = [
  'gmail_dkim',
  'microsoft_s3150',
  'yahoo_deferred',
  'apple_local_policy',
  'orange_spam',
  'gmx_ptr',
  'general_tls',
]
const byContact = sample.map((id) => refusalReplies[id]?.at(-1) ?? '')

const sentences = {
  en: {
    gmail_dkim: /Gmail refuses mail of \S+ without a valid DKIM signature\./,
    microsoft_s3150: /Microsoft: 192\.0\.2\.25 or \S+ is on a blocklist, so its mail is refused\./,
    yahoo_deferred:
      /Yahoo holds back mail of \S+ because too many of its users report it as spam\./,
    apple_local_policy: /Apple takes the content of this mail for spam or for dangerous\./,
    orange_spam: /Orange holds back mail of/,
    gmx_ptr: /GMX, WEB\.DE refuses mail from 192\.0\.2\.25 because its reverse DNS is missing/,
    general_tls: /The receiving server takes mail over encrypted connections \(TLS\) only\./,
  },
  fr: {
    gmail_dkim: /Gmail refuse le courrier de \S+ sans signature DKIM valide\./,
    microsoft_s3150: /Microsoft\s: 192\.0\.2\.25 ou \S+ figure sur une liste de blocage/,
    yahoo_deferred: /Yahoo retient le courrier de \S+\s: trop de ses utilisateurs/,
    apple_local_policy: /Apple prend le contenu de cet e-mail pour du spam/,
    orange_spam: /Orange retient le courrier de/,
    gmx_ptr: /GMX, WEB\.DE refuse le courrier venant de 192\.0\.2\.25\s: son DNS inverse manque/,
    general_tls: /Le serveur du destinataire n'accepte le courrier que par une connexion chiffrée/,
  },
} as const

for (const language of ['en', 'fr'] as const) {
  test(
    `the page of a campaign groups its refusals by cause, and each mail’s page has the sentence, in ${language}`,
    { skip },
    async (t) => {
      const own = await api.workspace(`campaign ${language}`)
      const slug = `campaign-${language}`
      api.answer(({ phase, line }) => {
        const n = Number(/person(\d+)@/.exec(line)?.[1] ?? 0)
        return phase === 'dot'
          ? byContact[n - 1]?.replace(/^4\d\d( 4\.)?/, (begin) =>
              begin.endsWith('.') ? '550 5.' : '550',
            )
          : undefined
      })
      await addSubscribers(api, own, sample.length + 1, own.domain)
      const id = await draftOf(api, own)
      await send(api, own, id)
      await untilSent(api, own, id)
      const { page, goto } = await openWorkspace(
        t,
        { browser, api, workspace: own, slug },
        { at: `campaigns/${id}/delivery`, language },
      )
      for (const cause of sample)
        assert.match(
          await noticeOf(page, cause),
          sentences[language][cause as keyof typeof sentences.en],
        )
      assert.match(
        await noticeOf(page, 'microsoft_s3150'),
        language === 'en' ? /1 refusal/ : /1 refus/,
      )
      await axe(page)
      for (const [at, cause] of sample.entries()) {
        const subscriber = `01990000-0000-7000-8000-${(at + 1).toString(16).padStart(12, '0')}`
        await goto(`emails/${id}.${subscriber}`)
        assert.match(
          await noticeOf(page, cause),
          sentences[language][cause as keyof typeof sentences.en],
        )
      }
      const form = page.locator('[data-refusal] a').first()
      assert.match((await form.getAttribute('href')) ?? '', /^https:\/\//)
      assert.equal(await form.getAttribute('rel'), 'noreferrer noopener')
      await axe(page)
      api.answer(undefined)
    },
  )

  test(
    `the page of a domain says why its mail is refused, for every requirement, in ${language}`,
    { skip },
    async (t) => {
      const own = await api.workspace(`domain ${language}`)
      const requirements = Object.keys(
        texts[language].refusals.what,
      ) as (keyof typeof texts.en.refusals.what)[]
      const causes = requirements.map((requirement) => {
        const cause = refusalCauses.find((row) => row.requirement === requirement)
        assert.ok(cause)
        return cause
      })
      for (const [at, { id }] of causes.entries())
        await api.run(`insert into refusal_day (workspace_id, day, domain, cause, refusals, last_at, address)
        values (${own.id}, (facteur_now() at time zone 'utc')::date, '${own.domain}', '${id}', ${1_000 + at}, facteur_now(), '192.0.2.25')`)
      const { page } = await openWorkspace(
        t,
        { browser, api, workspace: own, slug: `domain-${language}` },
        { at: `settings/domains/${own.domain}`, language },
      )
      for (const [at, { id, provider, requirement }] of causes.entries()) {
        const { what, server } = texts[language].refusals
        const text = await noticeOf(page, id)
        assert.ok(
          text.includes(
            fill(what[requirement], {
              provider: provider ?? server,
              domain: own.domain,
              ip: '192.0.2.25',
            }),
          ),
          text,
        )
        assert.ok(text.includes((1_000 + at).toLocaleString(language)), text)
      }
      await axe(page)
    },
  )

  test(
    `a campaign that paused for its refusals says so with what mends it, in ${language}`,
    { skip },
    async (t) => {
      const own = await api.workspace(`pause ${language}`)
      const { goOn } = answerDots(api, 150, ({ phase }) =>
        phase === 'dot' ? refusalReplies['gmail_dkim']?.[1] : undefined,
      )
      t.after(goOn)
      await addSubscribers(api, own, 400, own.domain)
      const id = await draftOf(api, own)
      await send(api, own, id)
      await untilCampaign(api, own, id, ({ paused }) => paused === 'refusals')
      const { page } = await openWorkspace(
        t,
        { browser, api, workspace: own, slug: `pause-${language}` },
        { at: `campaigns/${id}/delivery`, language },
      )
      const notice = page
        .getByRole('alert')
        .filter({ hasText: language === 'en' ? 'first hundred refusals' : 'cent premiers refus' })
      assert.match(await notice.innerText(), sentences[language].gmail_dkim)
      api.answer(undefined)
    },
  )
}

test('a text of a server is shown as text', { skip }, async (t) => {
  api.answer(({ phase, line }) =>
    phase === 'dot' && line.includes('evil@')
      ? '550 5.7.1 <img src=x onerror=alert(1)> DKIM validation failed'
      : undefined,
  )
  const id = await handedOver(api, workspace, { to: ['evil@example.com', 'other@example.com'] })
  const { page } = await openWorkspace(t, world, { at: `emails/${id}` })
  assert.match(await noticeOf(page, 'general_dkim'), /without a valid DKIM signature/)
  assert.equal(await page.locator('img[src="x"]').count(), 0)
  api.answer(undefined)
})
