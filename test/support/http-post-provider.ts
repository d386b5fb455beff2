/**
 * A fifth provider, for tests alone, made by the recipe in CONTRIBUTING (A provider): it posts each
 * mail to an address.
 */
import { passed, type Check } from '../../src/providers/provider-check.ts'
import type { ProviderChoice, ProviderKind } from '../../src/providers/provider-kind.ts'
import type { Envelope, Lease, Outcome, Provider } from '../../src/providers/provider.ts'
import { providerKinds } from '../../src/providers/registry.ts'
import { completesWithin } from './until.ts'

const atOnce = 20

/**
 * The type is that of a name in `src/ground/provider-names.ts`, where only real providers stand.
 */
const name = 'http-post' as 'smtp-relay'

export function createHttpPost(url: string): Provider {
  const concurrent = new Set<Promise<Outcome>>()
  const ending = new AbortController()
  let closed = false
  const send = async (envelope: Envelope, lease: Lease): Promise<Outcome> => {
    if (closed) return { kind: 'returned', why: 'the provider is closing' }
    if (!lease.mayProceed() || !(await lease.mayPassDot()))
      return { kind: 'returned', why: 'the lease is nearly over' }
    const answer = await fetch(url, {
      ...{ method: 'POST', body: new Uint8Array(envelope.bytes), signal: ending.signal },
      headers: { 'x-recipient': envelope.recipient },
    }).catch(() => null)
    if (answer === null) return { kind: 'in_doubt', phase: 'dot', response: 'no answer' }
    const response = `${answer.status} ${await answer.text()}`
    if (answer.status === 429) return { kind: 'deferred', phase: 'replied', code: null, response }
    return answer.ok
      ? { kind: 'accepted', response }
      : { kind: 'refused', reason: 'hard', phase: 'replied', code: null, response }
  }
  return {
    name,
    captures: false,
    reportsDelivery: false,
    inline: () => false,
    free: () => (closed ? 0 : Math.max(0, atOnce - concurrent.size)),
    async handOff(envelope, lease) {
      const sending = send(envelope, lease)
      concurrent.add(sending)
      return sending.finally(() => concurrent.delete(sending))
    },
    async close(withinMs) {
      closed = true
      await completesWithin(Promise.all(concurrent), withinMs)
      ending.abort()
      await Promise.all(concurrent)
    },
  }
}

const choiceOf = (url: string): ProviderChoice => ({
  type: name,
  open: () => createHttpPost(url),
  check: (): Promise<Check> => Promise.resolve(passed('provider', `mail is posted to ${url}`)),
  feedback: null,
  relay: null,
})

const httpPostKind: ProviderKind = {
  settings: [
    {
      name: 'address',
      variable: 'FACTEUR_POST_ADDRESS',
      flag: 'address',
      value: 'URL',
      text: 'where mail is posted.',
    },
  ],
  secret: { name: 'token', variable: 'FACTEUR_POST_TOKEN' },
  read({ address = null }, _token, nameOf) {
    if (address === null || !URL.canParse(address))
      throw new Error(`${nameOf('address')}: expected an address`)
    return choiceOf(address)
  },
  readDeployment: () => choiceOf('http://127.0.0.1:1'),
  describe: ({ address }) => `posts to ${address}`,
  spfTerms: () => ['include:post.test'],
}

/** Its entry in the registry, in this process alone. */
export function registerHttpPost(): typeof name {
  providerKinds[name as keyof typeof providerKinds] = httpPostKind
  return name
}
