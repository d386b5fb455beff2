/**
 * The page of a domain shows what receivers report on it: pictures, tables, and whatever a report
 * holds as text.
 */
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { startBrowser } from '../support/browser.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { axe, openWorkspace } from '../support/workspace-pages.ts'

const { browser, skip } = await startBrowser()
const api = await startApi({
  entry: operatorEntryPoints(),
  settings: { bounceHost: 'mx.facteur.test', inboundDomain: 'bounces.facteur.test' },
})
const workspace = await api.workspace('shop')
const shop = { browser, api, workspace, slug: 'shop' }
const { db } = api.service

const hostile = '<img src=x onerror="document.title=`run`">'

test(
  'who sends as the domain, how its hosts receive, who complains; before the first report, how to get them',
  { skip },
  async (t) => {
    const { page } = await openWorkspace(t, shop, { at: 'settings/domains/shop.test' })
    await page.getByText('No DMARC reports in the last 30 days.').waitFor()
    await page.getByTitle('v=TLSRPTv1; rua=mailto:tlsrpt@bounces.facteur.test').waitFor()
    await page.getByText('No complaints by e-mail in the last 30 days.').waitFor()
    await db.count(sql`
    insert into dmarc_source (workspace_id, domain, day, reporter, proven, source, header_from, dkim, spf, disposition, ours, dkim_domain, spf_domain, messages)
    select ${workspace.id}::bigint, 'shop.test', date_trunc('day', facteur_now(), 'UTC'), reporter, proven, source, 'shop.test', passed, passed, 'none', passed,
      case when passed then 'shop.test' end, null, messages
    from (values ('google.com', true, '192.0.2.1', true, 1200), ('google.com', true, '198.51.100.66', false, 7), (${hostile}::text, false, '203.0.113.5', true, 3))
      as r (reporter, proven, source, passed, messages)`)
    await db.count(sql`
    insert into reported_tls_result (workspace_id, domain, day, reporter, proven, policy_domain, policy, host, result, sessions)
    values (${workspace.id}, 'shop.test', date_trunc('day', facteur_now(), 'UTC'), 'google.com', true, 'bounce.shop.test', 'sts', 'mx.facteur.test', 'certificate-expired', 4)`)
    await db.count(sql`
    insert into complaint_day (workspace_id, domain, day, reporter, verified, proven, unverified, first_at, last_at)
    values (${workspace.id}, 'shop.test', date_trunc('day', facteur_now(), 'UTC'), 'yahoo.com', 9, 2, 5, facteur_now(), facteur_now())`)
    // A report of more records than are read.
    await db.count(sql`
    insert into domain_report (workspace_id, domain, day, kind, digest, received_at, is_cut)
    values (${workspace.id}, 'shop.test', date_trunc('day', facteur_now(), 'UTC'), 'dmarc', decode(repeat('00', 32), 'hex'), facteur_now(), true)`)
    await page.reload()
    await page.getByText('1 report had more than 2,000 records').waitFor()
    const sources = page.getByRole('table', { name: 'Sources' })
    const own = sources.getByRole('row').filter({ hasText: '192.0.2.1' })
    await own.getByText('Signed by this service').waitFor()
    await own.getByText('1,200', { exact: true }).waitFor()
    await sources
      .getByRole('row')
      .filter({ hasText: '198.51.100.66' })
      .getByText('7 failed')
      .waitFor()
    const unproven = sources.getByRole('row').filter({ hasText: '203.0.113.5' })
    await unproven.getByText(hostile).waitFor()
    await unproven.getByText('Sender not verified').waitFor()
    const days = page.getByRole('table', { name: 'Who sends as this domain, by day' })
    await days
      .getByRole('row')
      .filter({ hasText: '1,200' })
      .filter({ hasText: '7' })
      .waitFor({ state: 'attached' })
    await page
      .getByRole('table', { name: 'Servers' })
      .getByRole('row')
      .filter({ hasText: 'mx.facteur.test' })
      .getByText('certificate-expired')
      .waitFor()
    // Counted; suppressed only; not verified.
    for (const count of ['2', '7', '5'])
      await page
        .getByRole('row')
        .filter({ hasText: 'yahoo.com' })
        .getByText(count, { exact: true })
        .waitFor()
    await axe(page)
  },
)
