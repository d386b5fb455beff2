/**
 * The page of a domain says what receivers demand, what is met, what Gmail publishes, and where to
 * enrol with which values.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { openDomain } from '../../src/core/domains/open-domain.ts'
import { lookUpDomain } from '../../src/core/domains/look-up-domain.ts'
import { pollPostmaster } from '../../src/core/postmaster/poll-postmaster.ts'
import { readServiceAccount } from '../../src/core/postmaster/service-account.ts'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { daysAgo, startGoogleStandIn } from '../support/google-stand-in.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { englishLeftOn } from '../support/english-leftovers.ts'
import { axe, openWorkspace, phone } from '../support/workspace-pages.ts'

const dns = await startDnsServer({
  names: {
    'mx.facteur.test': { A: ['192.0.2.10'] },
    '10.2.0.192.in-addr.arpa': { PTR: ['mx.facteur.test'] },
  },
})
const google = await startGoogleStandIn()
after(() => google.close())
const { browser, skip } = await startBrowser()
const api = await startApi({
  entry: operatorEntryPoints(),
  dnsServers: [dns.address],
  settings: {
    ...{
      bounceHost: 'mx.facteur.test',
      inboundDomain: 'bounces.facteur.test',
      spf: ['ip4:192.0.2.10'],
    },
    ...{
      way: 'direct',
      sourceAddresses: ['192.0.2.10'],
      postmasterAddress: 'postmaster@acme-mail.iam.gserviceaccount.com',
    },
  },
})
const workspace = await api.workspace('shop')
const shop = { browser, api, workspace, slug: 'shop' }
const { service } = api

/** All records but that of DMARC, and a day at Gmail above the limit. */
async function setUp(name: string): Promise<string> {
  const { records } = await openDomain(service, {
    workspaceId: workspace.id,
    name,
    returnPathHost: null,
    trackingHost: null,
  })
  for (const { type, name: at, value, purpose } of records) {
    if (purpose === 'dmarc') continue
    const [preference, exchange = ''] = value.split(' ')
    dns.set(
      at,
      type === 'MX' ? { MX: [{ preference: Number(preference), exchange }] } : { TXT: [value] },
    )
  }
  await lookUpDomain(service, { workspaceId: workspace.id, name })
  await workspace.setReputation({ handOffs: 1_000, bounces: 0, complaints: 0 })
  google.domains.set(name, {
    rates: { [daysAgo(3)]: 0.0004, [daysAgo(2)]: 0.0021 },
    needsWork: ['DMARC_POLICY'],
  })
  const polled = await pollPostmaster(
    {
      databases: service.databases,
      outbound: service.outbound,
      clock: service.clock,
      log: service.log,
    },
    {
      account: {
        account: readServiceAccount(JSON.stringify(google.keyFile), 'key'),
        user: null,
        endpoint: google.url,
      },
      signal: new AbortController().signal,
    },
  )
  assert.deepEqual(polled, { kind: 'read', domains: google.domains.size })
  await lookUpDomain(service, { workspaceId: workspace.id, name })
  return records.find(({ key }) => key?.algorithm === 'rsa-sha256')?.name.split('.')[0] ?? ''
}

test(
  'what is not met comes first, with the record to copy; badges for each receiver, rates, enrolments; also on a small screen',
  { skip },
  async (t) => {
    const selector = await setUp('mail.acme.test')
    const { page, turn } = await openWorkspace(t, shop, { at: 'settings/domains/mail.acme.test' })
    await page.getByRole('heading', { name: 'Mailbox provider rules' }).waitFor()
    const group = (name: string) => page.getByRole('group', { name, exact: true })
    await group('La Poste').getByText('2 not met').waitFor()
    await group('Gmail')
      .getByText(/\d not met/)
      .waitFor()
    assert.equal(
      await group('Gmail').getByRole('link', { name: 'Its rules' }).getAttribute('href'),
      'https://support.google.com/a/answer/81126',
    )
    const dmarc = group('DMARC policy')
    await dmarc.getByText('Not met').waitFor()
    await dmarc.getByText('mail.acme.test has no DMARC policy. Add this record.').waitFor()
    await dmarc.getByText(/^v=DMARC1; p=none; rua=mailto:\w+@/).waitFor()
    assert.equal(await group('DKIM').count(), 0, 'what is met is folded')
    await page.getByRole('button', { name: /^\d+ rules met$/ }).click()
    await group('DKIM').getByText('Met', { exact: true }).waitFor()
    const first = await page
      .getByRole('group')
      .filter({ hasText: 'Required by' })
      .first()
      .textContent()
    assert.match(first ?? '', /Not met/)
    const unknown = page.getByRole('button', { name: /not known yet$/ })
    if ((await unknown.count()) > 0) await unknown.click()
    await group('Spam rate at Gmail')
      .getByText(/^0\.21% of the e-mails of /)
      .waitFor()
    const rates = page.getByRole('table', { name: 'Spam reports at Gmail' })
    await rates.getByRole('row').filter({ hasText: '0.21%' }).getByText('Above the limit').waitFor()
    await rates.getByRole('row').filter({ hasText: '0.04%' }).getByText('Below the limit').waitFor()
    await page.getByText('DMARC_POLICY').waitFor()
    const yahoo = group('Yahoo Complaint Feedback Loop')
    for (const value of ['mail.acme.test', selector, 'fbl@bounces.facteur.test'])
      await yahoo.getByText(value).first().waitFor()
    await yahoo.getByText('No report yet').waitFor()
    await group('Microsoft JMRP').getByText('192.0.2.10').waitFor()
    const tools = group('Google Postmaster Tools')
    await tools.getByText('postmaster@acme-mail.iam.gserviceaccount.com').waitFor()
    await tools.getByText('First report').waitFor()
    await axe(page)
    // Set as it is shown: the next check finds it.
    dns.set('_dmarc.mail.acme.test', {
      TXT: ['v=DMARC1; p=none; rua=mailto:dmarc@bounces.facteur.test'],
    })
    await page.getByRole('button', { name: 'Check now' }).click()
    await dmarc.getByText('The policy for e-mails that fail is none.').waitFor()
    await turn('overview')
    const suspended = page.getByRole('region', { name: 'Sending is suspended' })
    await suspended
      .getByText(/Gmail users reported 0\.21% of the e-mails from mail\.acme\.test as spam/)
      .waitFor()
    await suspended.getByText(/Sending resumes automatically on/).waitFor()
    await page.getByText('Spam reports at Gmail').first().waitFor()
    await axe(page)
    await page.setViewportSize(phone)
    await turn('settings/domains/mail.acme.test')
    await page.getByRole('button', { name: /^\d+ rules met$/ }).click()
    await group('DMARC policy').waitFor()
    await axe(page)
  },
)

test(
  'a domain whose rates nobody reads is promised values to enter only where they stand below',
  { skip },
  async (t) => {
    const name = 'unread.acme.test'
    await openDomain(service, {
      workspaceId: workspace.id,
      name,
      returnPathHost: null,
      trackingHost: null,
    })
    const { page } = await openWorkspace(t, shop, { at: `settings/domains/${name}` })
    await page.getByText('Google Postmaster Tools are not connected for this domain.').waitFor()
    const promised = await page.getByText('Enter the values below there.').count()
    const tools = page.getByRole('group', { name: 'Google Postmaster Tools', exact: true })
    assert.equal(
      await tools.getByText('postmaster@acme-mail.iam.gserviceaccount.com').count(),
      promised,
    )
  },
)

test(
  'in French: demands, rates, enrolments, reports and refusals, without an English line',
  { skip },
  async (t) => {
    const name = 'courrier.acme.test'
    await setUp(name)
    const { db } = service
    const { id } = workspace
    const today = await db.onlyValue<Date>(
      sql`select date_trunc('day', facteur_now(), 'UTC') as day`,
    )
    await db.count(sql`
    insert into dmarc_source (workspace_id, domain, day, reporter, proven, source, header_from, dkim, spf, disposition, ours, dkim_domain, spf_domain, messages)
    select ${id}::bigint, ${name}::text, ${today}::timestamptz, 'google.com', proven, source, ${name}::text, passed, passed, 'none', passed, null, null, messages
    from (values (true, '192.0.2.1', true, 1200), (true, '198.51.100.66', false, 7), (false, '203.0.113.5', true, 3)) as r (proven, source, passed, messages)`)
    await db.count(sql`
    insert into reported_tls_result (workspace_id, domain, day, reporter, proven, policy_domain, policy, host, result, sessions)
    select ${id}::bigint, ${name}::text, ${today}::timestamptz, 'google.com', true, ${name}::text, policy, 'mx.facteur.test', result, 4
    from (values ('sts', 'success'), ('tlsa', 'other'), ('no-policy-found', 'success'), ('other', 'success')) as r (policy, result)`)
    await db.count(sql`
    insert into complaint_day (workspace_id, domain, day, reporter, verified, unverified, first_at, last_at)
    values (${id}, ${name}, ${today}, 'yahoo.com', 2, 5, ${today}, ${today})`)
    await db.count(sql`
    insert into refusal_day (workspace_id, day, domain, cause, refusals, last_at, address)
    values (${id}, (facteur_now() at time zone 'utc')::date, ${name}, 'gmail_dkim', 12, facteur_now(), '192.0.2.25')`)
    const { page, turn } = await openWorkspace(t, shop, {
      at: `settings/domains/${name}`,
      language: 'fr',
    })
    await page.getByRole('heading', { name: 'Règles des messageries' }).waitFor()
    const dmarc = page.getByRole('group', { name: 'Politique DMARC', exact: true })
    await dmarc
      .getByText(`${name} n’a pas de politique DMARC. Ajoutez cet enregistrement.`)
      .waitFor()
    await page
      .getByRole('table', { name: 'Signalements de spam chez Gmail' })
      .getByText('Au-dessus du seuil')
      .waitFor()
    await page
      .getByText(/^Gmail refuse le courrier de courrier\.acme\.test sans signature DKIM valide/)
      .waitFor()
    await page.getByText('Remis en TLS').first().waitFor()
    assert.deepEqual(await englishLeftOn(page), [])
    await axe(page)
    // The same page in English has many, so that the search finds what it looks for.
    const english = await openWorkspace(t, shop, { at: `settings/domains/${name}`, language: 'en' })
    await english.page.getByRole('heading', { name: 'Mailbox provider rules' }).waitFor()
    assert.ok((await englishLeftOn(english.page)).length > 20)
    await turn('overview')
    const suspended = page.getByRole('region', { name: 'L’envoi est suspendu' })
    await suspended.getByText(/les utilisateurs de Gmail ont signalé comme spam 0,21\s%/).waitFor()
    assert.deepEqual(await englishLeftOn(page), [])
  },
)
