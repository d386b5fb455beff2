/** Names that webhooks go to are looked up at the operator's name servers, where some are set. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lookup, RecordType } from '../../../src/ground/dns/lookup.ts'
import { resolveBy } from '../../../src/ground/outbound/resolve-by.ts'

const answered = { authenticated: false, name: '', ttl: 60 }
const zone: Record<string, Lookup> = {
  'both.example A': { ...answered, kind: 'found', records: ['192.0.2.1', '192.0.2.2'] },
  'both.example AAAA': { ...answered, kind: 'found', records: ['2001:db8::1'] },
  'six.example AAAA': { ...answered, kind: 'found', records: ['2001:db8::2'] },
  'away.example AAAA': { authenticated: false, kind: 'failed', why: 'timeout' } as Lookup,
}
const resolve = resolveBy({
  resolve: <Type extends RecordType>(name: string, type: Type) =>
    Promise.resolve((zone[`${name} ${type}`] ?? { ...answered, kind: 'none' }) as Lookup<Type>),
})

test('all addresses of both kinds, so that all of them are checked', async () => {
  assert.deepEqual(await resolve('both.example'), [
    { address: '192.0.2.1', family: 4 },
    { address: '192.0.2.2', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ])
  assert.deepEqual(await resolve('six.example'), [{ address: '2001:db8::2', family: 6 }])
})

test('no address, and no answer, have the codes of the system', async () => {
  await assert.rejects(resolve('none.example'), { code: 'ENOTFOUND' })
  await assert.rejects(resolve('away.example'), { code: 'EAI_AGAIN' })
})

test('a name without a dot is the system’s', async () => {
  const [first] = await resolve('localhost')
  assert.ok(first?.address === '127.0.0.1' || first?.address === '::1')
})
