/**
 * The promises of every provider to the ledger. A provider's test gives a harness that says how
 * each behaviour is provoked; the suite says what must come of it.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Envelope, Lease, Outcome, Provider } from '../../src/providers/provider.ts'
import { until } from '../support/until.ts'

/** A fresh provider over a fresh peer, and the recipients that provoke each behaviour. */
export interface ProviderHarness {
  provider: Provider
  /** How many envelopes have really left for this recipient, as the far side reports. */
  deliveredTo(recipient: string): Promise<number> | number
  recipients: {
    accepted: string
    /**
     * Mailbox unknown, said at once. Absent when this provider never says such a thing
     * synchronously.
     */
    hard?: string
    policy?: string
    deferred?: string
    /** Accepted, but only after a while, or once `wakeSlow` is called. */
    slow?: string
    /**
     * Never answered: what the provider says when it is closed meanwhile must be in doubt. Absent
     * if this cannot happen.
     */
    silent?: string
  }
  wakeSlow?(): void
  /** Ends what the harness started; the provider is closed by then. */
  stop(): Promise<void>
}

export type StartProvider = () => Promise<ProviderHarness>

const notApplicable = 'this provider never does so'

const freeLease: Lease = { mayProceed: () => true, mayPassDot: () => true }
const spentLease: Lease = { mayProceed: () => false, mayPassDot: () => false }

function envelopeTo(recipient: string): Envelope {
  return {
    workspaceId: 1,
    reference: `conformance/${recipient}`,
    attempt: 1,
    returnPath: 'bounces@demo.test',
    fromDomain: 'demo.test',
    recipient,
    bytes: Buffer.from(
      `From: hello@demo.test\r\nTo: ${recipient}\r\nSubject: conformance\r\n\r\n.Hello\r\n`,
    ),
    utf8: false,
  }
}

export function testProvider(name: string, start: StartProvider): void {
  /** One test with a provider of its own. */
  const promise = (
    title: string,
    act: (harness: ProviderHarness, t: TestContext) => Promise<void>,
  ): void => {
    test(`${name}: ${title}`, async (t) => {
      const harness = await start()
      try {
        await act(harness, t)
      } finally {
        await harness.provider.close(0)
        await harness.stop()
      }
    })
  }

  promise('accepted: the far side has it once', async ({ provider, recipients, deliveredTo }) => {
    const outcome = await provider.handOff(envelopeTo(recipients.accepted), freeLease)
    assert.equal(outcome.kind, 'accepted', JSON.stringify(outcome))
    assert.ok(outcome.kind === 'accepted' && outcome.response !== '')
    assert.equal(await deliveredTo(recipients.accepted), 1)
  })

  promise(
    'what leaves asks once for its dot, which may take a moment; the capture mailbox stores a copy instead',
    async (harness) => {
      const { provider, recipients, deliveredTo } = harness
      let requested = 0
      const outcome = await provider.handOff(envelopeTo(recipients.accepted), {
        mayProceed: () => true,
        async mayPassDot() {
          requested++
          await new Promise((resolve) => setImmediate(resolve))
          assert.equal(await deliveredTo(recipients.accepted), 0)
          return true
        },
      })
      assert.ok(outcome.kind === 'accepted', JSON.stringify(outcome))
      assert.equal(requested, outcome.copy === undefined ? 1 : 0)
    },
  )

  for (const reason of ['hard', 'policy'] as const) {
    promise(
      `refused, ${reason}: with phase, code and response, and nothing has left`,
      async ({ provider, recipients, deliveredTo }, t) => {
        const recipient = recipients[reason]
        if (recipient === undefined) return t.skip(notApplicable)
        const outcome = await provider.handOff(envelopeTo(recipient), freeLease)
        assert.ok(outcome.kind === 'refused', JSON.stringify(outcome))
        assert.equal(outcome.reason, reason)
        assert.notEqual(outcome.response, '')
        assert.ok(outcome.code === null || (outcome.code >= 500 && outcome.code < 600))
        assert.equal(await deliveredTo(recipient), 0)
      },
    )
  }

  promise(
    'deferred: it may be handed over again',
    async ({ provider, recipients, deliveredTo }, t) => {
      if (recipients.deferred === undefined) return t.skip(notApplicable)
      const outcome = await provider.handOff(envelopeTo(recipients.deferred), freeLease)
      assert.ok(outcome.kind === 'deferred', JSON.stringify(outcome))
      assert.notEqual(outcome.response, '')
      assert.equal(await deliveredTo(recipients.deferred), 0)
    },
  )

  promise(
    'slow: the answer is waited for, and others pass meanwhile',
    async ({ provider, recipients, wakeSlow }, t) => {
      if (recipients.slow === undefined) return t.skip(notApplicable)
      let slowEnded = false
      const slow = provider.handOff(envelopeTo(recipients.slow), freeLease).then((outcome) => {
        slowEnded = true
        return outcome
      })
      const quick = await provider.handOff(envelopeTo(recipients.accepted), freeLease)
      assert.equal(quick.kind, 'accepted')
      assert.equal(slowEnded, false, 'the quick one did not wait for the slow one')
      wakeSlow?.()
      assert.equal((await slow).kind, 'accepted')
    },
  )

  promise(
    'one refusal among many changes nothing for the others',
    async ({ provider, recipients, deliveredTo }, t) => {
      const odd = recipients.hard ?? recipients.policy ?? recipients.deferred
      if (odd === undefined) return t.skip(notApplicable)
      const outcomes = await handOverAll(provider, [
        recipients.accepted,
        odd,
        recipients.accepted,
        odd,
        recipients.accepted,
      ])
      assert.deepEqual(
        outcomes.map(({ kind }) => kind === 'accepted'),
        [true, false, true, false, true],
      )
      assert.equal(await deliveredTo(recipients.accepted), 3)
    },
  )

  promise(
    'many at once: 200 envelopes, never more inside than free() says, each accepted once',
    async ({ provider, recipients, deliveredTo }) => {
      const outcomes = await handOverAll(
        provider,
        Array.from({ length: 200 }, () => recipients.accepted),
      )
      assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['accepted']))
      assert.equal(await deliveredTo(recipients.accepted), 200)
    },
  )

  promise(
    'free(): some at rest, fewer with one inside, the same again afterwards',
    async ({ provider, recipients }) => {
      await provider.handOff(envelopeTo(recipients.accepted), freeLease)
      const atRest = provider.free()
      assert.ok(atRest > 0)
      const handedOver = provider.handOff(envelopeTo(recipients.accepted), freeLease)
      assert.ok(provider.free() < atRest || provider.free() === Infinity)
      await handedOver
      assert.equal(provider.free(), atRest)
    },
  )

  promise(
    'a spent lease: returned, and nothing has left',
    async ({ provider, recipients, deliveredTo }) => {
      const outcome = await provider.handOff(envelopeTo(recipients.accepted), spentLease)
      assert.equal(outcome.kind, 'returned', JSON.stringify(outcome))
      assert.equal(await deliveredTo(recipients.accepted), 0)
    },
  )

  promise(
    'close(): what is inside is answered, what comes later is returned, and it ends',
    async ({ provider, recipients }) => {
      const inside = provider.handOff(envelopeTo(recipients.accepted), freeLease)
      const closed = provider.close(10_000)
      assert.ok(['accepted', 'returned'].includes((await inside).kind))
      assert.equal(
        (await provider.handOff(envelopeTo(recipients.accepted), freeLease)).kind,
        'returned',
      )
      assert.equal(provider.free(), 0)
      await closed
    },
  )

  promise(
    'close(0) while nothing is answered: in doubt, and it ends',
    async ({ provider, recipients, deliveredTo }, t) => {
      if (recipients.silent === undefined) return t.skip(notApplicable)
      const inside = provider.handOff(envelopeTo(recipients.silent), freeLease)
      while ((await deliveredTo(recipients.silent)) === 0)
        await new Promise((resolve) => setImmediate(resolve))
      await provider.close(0)
      const outcome = await inside
      assert.ok(outcome.kind === 'in_doubt', JSON.stringify(outcome))
    },
  )
}

/** Hands over as a worker does: never more at once than `free()` allows. */
async function handOverAll(provider: Provider, recipients: string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  let started = 0
  let ended = 0
  await new Promise<void>((resolve, reject) => {
    const fill = (): void => {
      while (started < recipients.length && provider.free() > 0) {
        const at = started++
        handOverUntilTaken(provider, recipients[at] ?? '').then((outcome) => {
          outcomes[at] = outcome
          if (++ended === recipients.length) resolve()
          else fill()
        }, reject)
      }
      assert.ok(started > ended || ended === recipients.length, 'free() says 0 with nothing inside')
    }
    fill()
  })
  return outcomes
}

/** Hands a postponed mail over again. */
const handOverUntilTaken = (provider: Provider, recipient: string): Promise<Outcome> =>
  until(
    () => provider.handOff(envelopeTo(recipient), freeLease),
    ({ kind }) => kind !== 'postponed',
  )
