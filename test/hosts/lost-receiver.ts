/**
 * A receiver's machine that is lost while a worker waits for its replies: no packet ever comes on
 * those connections. The worker notices within a minute, not after the minutes that RFC 5321
 * 4.5.3.2 gives to a receiver that is slow to reply.
 */
import { checkMails, readLedger, unfinishedRows } from '../support/fault-ledger.ts'
import type { Run } from '../support/fault-world.ts'
import { until } from '../support/until.ts'
import type { Scenario } from '../faults/scenario.ts'
import { admitMails, openCaptureApi } from './admit-mails.ts'
import { hostsOfProcess } from './hosts-world.ts'
import { connectionsBetween, drop } from './network.ts'

const mails = 4
const noticedMs = 60_000

export const lostReceiver: Scenario = {
  name: 'lost-receiver',
  promise:
    'the mails that waited for a receiver that was lost go to the one that comes back, once each',
  broken: [],
  async play(run: Run) {
    const hosts = await hostsOfProcess()
    await hosts.stopServices()
    const workspace = await hosts.openWorkspace()
    const api = await openCaptureApi(run, workspace)
    await admitMails(
      workspace,
      api,
      Array.from({ length: mails }, (_, index) => `mail-${index}@${workspace.recipientDomain}`),
    )
    const thaw = hosts.sink.freeze()
    run.after(async () => thaw())
    await hosts.start('worker-a', { settings: { FACTEUR_SMTP_CONNECTIONS: mails } })
    // The kernel of the sink has opened them, and nobody greets.
    await until(
      () => connectionsBetween('sink', 'worker-a'),
      (count) => count === mails,
    )
    const heal = drop('sink', 'worker-a')
    run.after(async () => heal())
    await hosts.sink.kill()
    await until(
      () => connectionsBetween('sink', 'worker-a'),
      (count) => count === 0,
      noticedMs,
    )
    heal()
    const open = await unfinishedRows(workspace.db, workspace.workspaceId)
    if (open.length > 0) return open
    return checkMails(
      await readLedger(workspace.db, workspace.workspaceId),
      hosts.mailsOf(workspace),
    )
  },
}
