/** Sealed secrets: read again with the same key and purpose, and with nothing else. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSecrets, makeMasterKey, readMasterKey } from '../../src/ground/secrets.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const secrets = createSecrets(randomBytes(32))

test('a sealed text opens again; two seals of one text differ', () => {
  const [first, second] = [secrets.seal('clé', 'webhook'), secrets.seal('clé', 'webhook')]
  assert.equal(secrets.open(first, 'webhook'), 'clé')
  assert.equal(secrets.open(second, 'webhook'), 'clé')
  assert.ok(!first.equals(second))
})

test('another key, another purpose or one changed bit: refused', () => {
  const sealed = secrets.seal('text', 'webhook')
  assert.throws(() => createSecrets(randomBytes(32)).open(sealed, 'webhook'), /another master key/)
  assert.throws(() => secrets.open(sealed, 'dkim'))
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.throws(() => secrets.open(changed, 'webhook'), `octet ${at}`)
  }
})

test('a master key is made once, readable by its owner only; a second maker gets the first key', () => {
  const folder = makeTemporaryFolder('secrets')
  assert.equal(readMasterKey(folder), null)
  const key = makeMasterKey(folder)
  assert.ok(makeMasterKey(folder).equals(key))
  assert.ok(readMasterKey(folder)?.equals(key))
  assert.equal(statSync(join(folder, 'master.key')).mode & 0o777, 0o600)
})

test('the fingerprint names a key and differs from all that is derived from it', () => {
  const key = randomBytes(32)
  assert.equal(createSecrets(key).fingerprint, createSecrets(key).fingerprint)
  assert.notEqual(createSecrets(key).fingerprint, secrets.fingerprint)
  assert.ok(
    !createSecrets(key).derive('seal').toString('hex').startsWith(createSecrets(key).fingerprint),
  )
})
