/**
 * Two processes are restarted in turn behind a load balancer that asks `/readyz`: no call fails,
 * and no mail is lost or doubled.
 */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { test } from 'node:test'
import { playOnce } from '../faults/scenario.ts'
import { checkMails, readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import { restartPort } from '../support/fault-port.ts'
import type { ServiceProcess } from '../support/fault-process.ts'
import { openWorld, type World } from '../support/fault-world.ts'
import { startBalancer, type LoadBalancer } from '../support/load-balancer.ts'
import { until } from '../support/until.ts'
import { startSteadyLoad } from './steady-load.ts'

/** Longer than the balancer of the test needs to notice, also on a busy machine. */
const settings = { FACTEUR_DRAIN_SECONDS: 8, FACTEUR_STOP_SECONDS: 60 }

test('a rolling restart of two processes under load: 0 failed calls, nothing lost, nothing doubled', () =>
  playOnce(async (run) => {
    const world = await openWorld(run)
    const balancer = await startBalancer(run)
    let processes: Backend[] = await Promise.all([
      startBehind(world, balancer),
      startBehind(world, balancer),
    ])
    const load = startSteadyLoad(world, { port: balancer.port, clients: 2 })
    await load.goesOn(20)
    for (const old of [...processes]) {
      old.process.signal('SIGTERM')
      assert.equal(await old.process.ended, 0, old.process.lastLines())
      processes = [
        ...processes.filter((other) => other !== old),
        await startBehind(world, balancer),
      ]
      await load.goesOn(20)
    }
    const { accepted, failures } = await load.stop()
    assert.deepEqual([...failures, ...balancer.failures], [])
    assert.equal(new Set(balancer.downs).size, 2, 'each was taken out by its /readyz')
    assert.deepEqual(await unfinishedRows(world.db, world.workspaceId), [])
    const rows = await readLedger(world.db, world.workspaceId)
    assert.deepEqual(new Set(rows.map(({ messageId }) => messageId)), new Set(accepted.keys()))
    assert.deepEqual(checkMails(rows, world.mails()), [])
    assert.equal(world.mails().length, accepted.size)
  }))

interface Backend {
  port: number
  process: ServiceProcess
}

async function startBehind(world: World, balancer: LoadBalancer): Promise<Backend> {
  const port = await restartPort()
  balancer.add(port)
  const process = await world.start({ role: 'all', port, settings })
  await until(() => balancer.isUp(port))
  return { port, process }
}

test('asked to stop: /readyz answers 503 while calls are answered with Connection: close; then the port closes', () =>
  playOnce(async (run) => {
    const world = await openWorld(run)
    const port = await restartPort()
    const process = await world.start({ role: 'api', port, smtpUrl: null, settings })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    run.after(() => Promise.resolve(agent.destroy()))
    const get = (
      path: string,
    ): Promise<{ status: number | undefined; connection: string | undefined; body: string }> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${world.apiKey}` }
        request({ host: '127.0.0.1', port, path, agent, headers }, (answer) => {
          let body = ''
          answer.on('data', (text) => (body += String(text)))
          answer.on('end', () =>
            resolve({ status: answer.statusCode, connection: answer.headers.connection, body }),
          )
        })
          .on('error', reject)
          .end()
      })
    assert.deepEqual(
      [(await get('/api/v1/me')).connection, (await get('/readyz')).status],
      ['keep-alive', 200],
    )
    process.signal('SIGTERM')
    const ready = await until(
      () => get('/readyz'),
      ({ status }) => status !== 200,
    )
    assert.deepEqual(ready, {
      status: 503,
      connection: 'close',
      body: JSON.stringify({ status: 'not_ready', reasons: [{ reason: 'stopping' }] }),
    })
    const answer = await get('/api/v1/me')
    assert.deepEqual([answer.status, answer.connection], [200, 'close'])
    assert.equal(await process.ended, 0)
    await assert.rejects(get('/api/v1/me'), /ECONNREFUSED/)
  }))
