/**
 * Amazon SES: each envelope is one signed call of the SES v2 API with the whole message (SendEmail,
 * Content.Raw).
 *
 * 1. Only the call names the recipient: SES takes none from the headers of the message.
 * 2. Our own tag goes with it, which notices bring back.
 * 3. The outcome is the answer, or how far the call went: lost after it was written is in doubt.
 */
import { waitAtMost } from '../../ground/clock.ts'
import type { Envelope, Lease, Outcome, Provider } from '../provider.ts'
import { attemptTagName, type AttemptTags } from './attempt-tag.ts'
import { callAws, type AwsPorts } from './call-aws.ts'
import { classifyAnswer } from './classify-answer.ts'
import { sesEndpoint, reportsFeedback, type SesSettings } from './ses-settings.ts'

/** Concurrent calls: at SES's latency of a tenth of a second, some hundred messages a second. */
const concurrentMax = 50
/** SES answers within a second; a call that takes longer than this is lost, in milliseconds. */
const answerWithinMs = 60_000

export interface AmazonSesOptions extends AwsPorts {
  settings: SesSettings
  tags: AttemptTags
}

export function createAmazonSes(options: AmazonSesOptions): Provider {
  const { settings, clock } = options
  const url = new URL('/v2/email/outbound-emails', sesEndpoint(settings))
  const concurrent = new Set<Promise<Outcome>>()
  const dropping = new AbortController()
  let closed = false

  const send = async (envelope: Envelope, lease: Lease): Promise<Outcome> => {
    if (!(await lease.mayPassDot())) return leaseSpent
    // True from the call to the moment of writing, where the lease is checked once more.
    let spent = false
    const mayWrite = (): boolean => !(spent = !lease.mayProceed())
    const answer = await callAws(options, settings, {
      ...{ method: 'POST', service: 'ses', url, body: bodyOf(options, envelope) },
      headers: { 'content-type': 'application/json' },
      ...{ signal: dropping.signal, withinMs: answerWithinMs, mayWrite },
    })
    if (answer.kind === 'answered') return classifyAnswer(answer)
    if (answer.written)
      return { kind: 'in_doubt', phase: 'dot', response: `no answer (${answer.reason})` }
    if (spent) return leaseSpent
    if (dropping.signal.aborted) return closing
    return {
      kind: 'deferred',
      phase: 'dial',
      code: null,
      response: `${url.host}: ${answer.reason}`,
      slower: false,
    }
  }

  return {
    name: 'amazon-ses',
    captures: false,
    inline: () => true,
    reportsDelivery: reportsFeedback(settings),
    free: () => (closed ? 0 : Math.max(0, concurrentMax - concurrent.size)),
    async handOff(envelope, lease) {
      if (closed) return closing
      // Concurrent requests may each have found the last free slots.
      if (concurrent.size >= concurrentMax) return full
      if (envelope.utf8) return withoutSmtputf8
      if (!lease.mayProceed()) return leaseSpent
      const sending = send(envelope, lease)
      concurrent.add(sending)
      try {
        return await sending
      } finally {
        concurrent.delete(sending)
      }
    },
    async close(withinMs) {
      closed = true
      await waitAtMost(clock, withinMs, Promise.all(concurrent))
      dropping.abort()
      await Promise.all(concurrent)
    },
  }
}

const closing: Outcome = { kind: 'returned', why: 'the provider is closing' }
const full: Outcome = { kind: 'returned', why: 'as many calls are under way as may be' }
const leaseSpent: Outcome = { kind: 'returned', why: 'the lease is nearly over' }

/**
 * SES speaks no SMTPUTF8 (RFC 6531): a domain has an A-label, a local part has nothing of the kind.
 */
const withoutSmtputf8: Outcome = {
  kind: 'refused',
  reason: 'other',
  phase: 'mail',
  code: null,
  response: 'Amazon SES takes no addresses with letters beyond ASCII before the @',
}

function bodyOf({ settings, tags }: AmazonSesOptions, envelope: Envelope): string {
  return JSON.stringify({
    Destination: { ToAddresses: [envelope.recipient] },
    Content: { Raw: { Data: envelope.bytes.toString('base64') } },
    EmailTags: [{ Name: attemptTagName, Value: tags.make(envelope) }],
    ...(settings.configurationSet !== null && { ConfigurationSetName: settings.configurationSet }),
  })
}
