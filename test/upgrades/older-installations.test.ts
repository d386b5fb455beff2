/**
 * An installation of a former release is stopped and started by this version: what it had is there,
 * and what waits in it leaves once.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyDatabase, moveClock, runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { call, type CallAnswer } from '../support/fault-calls.ts'
import { restartPort } from '../support/fault-port.ts'
import { settingsOf, startServiceProcess } from '../support/fault-process.ts'
import type { Run } from '../support/fault-world.ts'
import { until } from '../support/until.ts'
import { createOperator } from '../cli/facteur.ts'
import { playOnce } from '../faults/scenario.ts'
import { previousProgram, previousRelease, whyNoPreviousRelease } from './previous-program.ts'

/** The first release that operators have, and the previous one. */
const releases = ['bc213cd3ce75705ca5adec261334889f265b4d59', previousRelease.commit]
const mail = { from: 'hello@demo.test', subject: 'Bonjour', text: 'Bonjour' }

/** A process on the database, and a caller of it. */
async function start(run: Run, databaseUrl: string, program?: string) {
  const port = await restartPort()
  const options = {
    databaseUrl,
    port,
    smtpUrl: null,
    failpoints: [],
    settings: {},
    ...(program !== undefined && { program }),
  }
  const process = await startServiceProcess({ ...options, role: 'all' })
  run.after(() => process.kill())
  return {
    process,
    settings: settingsOf(options),
    async ask(
      apiKey: string,
      line: string,
      status: number,
      body?: object,
      idempotencyKey?: string,
    ): Promise<unknown> {
      const end = await call({
        url: `http://127.0.0.1:${port}`,
        apiKey,
        line,
        body,
        ...(idempotencyKey && { idempotencyKey }),
      })
      assert.equal((end as CallAnswer).status, status, `${line}: ${JSON.stringify(end)}`)
      return (end as CallAnswer).body
    },
  }
}

for (const commit of releases)
  test(
    `from ${commit.slice(0, 8)}: mail, keys, suppressions, contacts and a campaign are there; what was scheduled leaves once`,
    { skip: whyNoPreviousRelease(commit) ?? false },
    () =>
      playOnce(async (run) => {
        const url = await emptyDatabase(run)
        const old = await start(run, url, previousProgram(commit))
        const key = await until(() => /fct_live_\S+/.exec(old.process.lastLines())?.[0])
        const post = (body: object, name: string) =>
          old.ask(key, 'POST /api/v1/emails', 202, { ...mail, ...body }, name)
        const sent = String(at(await post({ to: 'ada@example.com' }, 'sent'), 'id'))
        const due = new Date(Date.now() + 3_600_000).toISOString()
        const waiting = String(
          at(await post({ to: 'later@example.com', scheduled_at: due }, 'waiting'), 'id'),
        )
        await old.ask(key, 'POST /api/v1/suppression', 201, {
          email: 'gone@example.com',
          reason: 'complaint',
        })
        for (const email of ['reader@example.com', 'other@example.com'])
          await old.ask(key, 'POST /api/v1/subscribers', 201, {
            email,
            consent: 'Asked at the till',
          })
        const draft = { name: 'News', subject: 'News', text: 'News: https://example.com/' }
        const campaign = String(at(await old.ask(key, 'POST /api/v1/campaigns', 201, draft), 'id'))
        await until(
          async () =>
            at(await old.ask(key, `GET /api/v1/emails/${sent}`, 200), 'status') === 'delivered',
        )
        old.process.signal('SIGTERM')
        assert.equal(await old.process.ended, 0)

        const now = await start(run, url)
        const email = (id: string): Promise<unknown> =>
          now.ask(key, `GET /api/v1/emails/${id}`, 200)
        assert.partialDeepStrictEqual(await email(sent), {
          status: 'delivered',
          subject: 'Bonjour',
          text: 'Bonjour',
        })
        assert.partialDeepStrictEqual(await email(waiting), { status: 'queued', text: 'Bonjour' })
        const again = await now.ask(
          key,
          'POST /api/v1/emails',
          202,
          { ...mail, to: 'ada@example.com' },
          'sent',
        )
        assert.equal(at(again, 'id'), sent)
        await now.ask(key, 'POST /api/v1/emails', 422, { ...mail, to: 'gone@example.com' })
        await runOn(
          url,
          `update subscriber set status = 'subscribed', confirmed_at = created_at where email = 'reader@example.com'`,
        )
        await now.ask(key, `POST /api/v1/campaigns/${campaign}/send`, 202)
        await until(
          async () =>
            at(await now.ask(key, `GET /api/v1/campaigns/${campaign}`, 200), 'status') === 'sent',
        )
        await moveClock(url, '61 minutes')
        await until(async () => at(await email(waiting), 'status') === 'delivered')
        const { rows } = await runOn(
          url,
          `select recipient, count(*)::int as mails from captured_mail group by 1 order by 1`,
        )
        assert.deepEqual(
          rows.filter(({ recipient }) =>
            ['ada@example.com', 'later@example.com', 'gone@example.com'].includes(
              String(recipient),
            ),
          ),
          [
            { recipient: 'ada@example.com', mails: 1 },
            { recipient: 'later@example.com', mails: 1 },
          ],
        )
        await moveClock(url, '0 seconds')
        const doctor = await createOperator(now.settings).run(['doctor'])
        assert.equal(doctor.code, 0, doctor.stdout.toString())
      }),
  )
