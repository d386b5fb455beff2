/**
 * Checks the path of a bounce: sends one to us as a mail host would, and finds it in the database
 * after the inbound role stored it.
 */
import { randomUUID } from 'node:crypto'
import type { Config } from '../../../../ground/config.ts'
import type { Database } from '../../../../database/client/database.ts'
import { takeProbe } from '../../../../db/feedback/inbound.ts'
import type { VerpTokens } from '../../../../mail/reports/verp.ts'
import { createSmtpClient } from '../../../../mail/smtp-client/smtp-client.ts'
import type { SmtpOutcome } from '../../../../mail/smtp-client/outcome.ts'
import type { Relay } from '../../../../mail/smtp-client/relay.ts'
import type { Surroundings } from '../../command.ts'
import { passed, failed, warned, type Check } from '../check.ts'
import { ehloName, mailHostsOf, patience, type DeliveryParts } from './dial-host.ts'

/** A relay may take its time. */
const waitMs = 60_000
const pauseMs = 200

/** `reachable`: whether the inbound port answered a moment ago. */
export async function checkBounce(
  parts: DeliveryParts,
  { db, verp, reachable }: { db: Database; verp: VerpTokens; reachable: boolean },
): Promise<Check> {
  const { surroundings, config } = parts
  const { inboundDomain } = config
  if (inboundDomain === null)
    return passed('bounce', 'not tried: there is no domain that bounces come back to')
  if (!reachable)
    return warned('bounce', 'not tried: the inbound port does not answer', 'Mend that first.')
  const way = await findWay(parts, inboundDomain)
  if (typeof way === 'string')
    return failed('bounce', way, `Mend the MX record of ${inboundDomain}.`)
  const id = randomUUID()
  const recipient = `${verp.make('probe', { workspaceId: 0, messageId: id, position: 0 })}@${inboundDomain}`
  const began = surroundings.clock.monotonicMs()
  const outcome = await send(surroundings, { way, config, recipient, inboundDomain })
  if (outcome.kind !== 'accepted')
    return failed(
      'bounce',
      `${way.host} did not take it: ${'response' in outcome ? outcome.response : outcome.why}`,
      `See what stands before the inbound port of ${inboundDomain}.`,
    )
  while (surroundings.clock.monotonicMs() - began < waitMs) {
    if (await takeProbe(db, id))
      return passed(
        'bounce',
        `sent by ${way.host}, received and stored ${((surroundings.clock.monotonicMs() - began) / 1000).toFixed(1)} s later`,
      )
    await surroundings.clock.sleep(pauseMs, surroundings.signal)
  }
  return failed(
    'bounce',
    `${way.host} took it, and it was not received within ${waitMs / 1000} s`,
    'The inbound role must have this database and this master key; a relay may hold mail back: see its queue.',
  )
}

/**
 * Uses the relay where there is one, which checks its path too; else the hosts of our own domain,
 * as any bounce comes.
 */
async function findWay(
  { surroundings, config, resolver }: DeliveryParts,
  inboundDomain: string,
): Promise<Relay | string> {
  const choice = surroundings.readProviderSettings(config)
  if (choice.relay !== null) return choice.relay
  const hosts = await mailHostsOf(resolver, inboundDomain)
  if (typeof hosts === 'string') return hosts
  const [first] = hosts
  return first
    ? { host: first.address, port: config.mxPort, tls: 'starttls', certificate: 'none' }
    : 'no host'
}

async function send(
  { clock }: Surroundings,
  {
    way,
    config,
    recipient,
    inboundDomain,
  }: { way: Relay; config: Config; recipient: string; inboundDomain: string },
): Promise<SmtpOutcome> {
  const name = ehloName(config)
  const client = createSmtpClient({
    relay: way,
    clock,
    timeouts: patience,
    connections: 1,
    ...(name && { name }),
  })
  try {
    const bytes = writeBounce({ recipient, inboundDomain, date: clock.now() })
    // The null return path of a bounce (RFC 5321 4.5.5).
    return await client.handOff(
      { reference: 'doctor', returnPath: '', recipient, bytes, utf8: false },
      { mayProceed: () => true, mayPassDot: () => true },
    )
  } finally {
    await client.close(1_000)
  }
}

/** RFC 3464, as short as it may be. */
function writeBounce({
  recipient,
  inboundDomain,
  date,
}: {
  recipient: string
  inboundDomain: string
  date: Date
}): Buffer {
  const boundary = 'facteur-doctor'
  return Buffer.from(
    [
      `From: doctor <mailer-daemon@${inboundDomain}>`,
      `To: <${recipient}>`,
      'Subject: A bounce of facteur doctor to itself',
      `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: <${randomUUID()}@${inboundDomain}>`,
      'MIME-Version: 1.0',
      `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
      '',
      `--${boundary}`,
      'Content-Type: text/plain',
      '',
      'Nothing is wrong: the operator tests whether bounces arrive.',
      '',
      `--${boundary}`,
      'Content-Type: message/delivery-status',
      '',
      `Reporting-MTA: dns; ${inboundDomain}`,
      '',
      'Final-Recipient: rfc822; nobody@example.invalid',
      'Action: failed',
      'Status: 5.1.1',
      '',
      `--${boundary}--`,
      '',
    ].join('\r\n'),
  )
}
