/** Two doors that programs hand mail in by, and the relay's server where it arrives. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { createSmtpRelay } from '../../src/providers/smtp-relay/smtp-relay.ts'
import { startScriptedPeer } from '../support/scripted-peer.ts'
import { testCertificate } from '../support/test-certificate.ts'
import { until } from '../support/until.ts'
import { compareParts, subjects, type ProgramMail } from './program-mails.ts'
import type { Column } from './program-results.ts'
import { startSubmissionWorld } from './world.ts'

export const peer = await startScriptedPeer()
after(() => peer.close())
const provider = createSmtpRelay({
  relay: { host: '127.0.0.1', port: peer.port, tls: 'none' },
  clock: systemClock,
})

/** A program on this machine needs no TLS here. */
export const plain = await startSubmissionWorld({ provider })
/** Nobody logs in here without it. */
export const secured = await startSubmissionWorld(
  { provider, settings: { baseUrl: 'https://mail.example.com' } },
  { tls: testCertificate, tlsPort: 0 },
)

export const shop = await plain.workspace('Programs')
export const securedShop = await secured.workspace('Programs')
await shop.suppress('left@example.com', 'complaint')

/** What came of the mails that leave, part by part, and nothing else of the program. */
export async function compareArrived(
  program: string,
  { lacks = [], sent }: { lacks?: readonly Column[]; sent: ProgramMail[] },
): Promise<Set<Column>> {
  const expected = sent.flatMap(({ to, bcc }) => [...to, ...bcc]).toSorted()
  const mails = await until(
    () => peer.mails.filter(({ to: [to = ''] }) => to.endsWith(`@${program}.example`)),
    ({ length }) => length >= expected.length,
  )
  assert.deepEqual(mails.map(({ to }) => to[0]).toSorted(), expected)
  const columns = new Set<Column>()
  for (const { to, bytes } of mails) {
    const isLatin = to[0]?.startsWith('latin@')
    const subject = subjects[isLatin ? 'charset' : 'good']
    for (const part of await compareParts(bytes, { domain: shop.domain, lacks, subject }))
      columns.add(part)
    if (isLatin) columns.add('charset')
  }
  return columns
}
