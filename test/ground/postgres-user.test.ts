/**
 * Which system user the embedded PostgreSQL runs as: for new data its own, for existing data its
 * owner.
 */
import assert from 'node:assert/strict'
import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { lineForOwnUser, postgresUser } from '../../src/database/embedded/postgres-user.ts'
import { outputOf } from '../../src/database/embedded/read-text.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const home = makeTemporaryFolder('postgres-user')
const cluster = join(home, 'cluster')
mkdirSync(cluster)
const idOf = (flag: '-u' | '-g', name: string): number => Number(outputOf('id', [flag, name]))
/** An earlier run may have made it, with another PATH. */
const canHaveOwn =
  outputOf('id', ['-u', 'facteur-postgres']) !== null || outputOf('useradd', ['--help']) !== null

test('new data: as root a user of its own, which no other service has; else our own user', () => {
  const { identity } = postgresUser(null)
  if (process.getuid?.() !== 0) return assert.deepEqual(identity, {})
  assert.notEqual(identity.uid, 0)
  assert.equal(
    outputOf('id', ['-un', String(identity.uid)]),
    canHaveOwn ? 'facteur-postgres' : 'nobody',
  )
  assert.deepEqual(postgresUser(null).identity, identity, 'made once')
})

test('existing data keeps its owner, and the line that changes it is named', () => {
  if (process.getuid?.() !== 0) {
    assert.equal(lineForOwnUser({ home, cluster }), null)
    assert.throws(() => postgresUser('/'), /belongs to user root/)
    return
  }
  const own = { uid: statSync(cluster).uid, gid: statSync(cluster).gid }
  chownSync(cluster, idOf('-u', 'nobody'), idOf('-g', 'nobody'))
  assert.equal(postgresUser(cluster).identity.uid, idOf('-u', 'nobody'))
  assert.match(
    lineForOwnUser({ home, cluster }) ?? '',
    /^useradd .* facteur-postgres; chown -R facteur-postgres:facteur-postgres \//,
  )
  assert.match(
    lineForOwnUser({ home: "/srv/Anna's data", cluster }) ?? '',
    / '\/srv\/Anna'\\''s data'$/,
  )
  chownSync(cluster, postgresUser(null).identity.uid ?? 0, postgresUser(null).identity.gid ?? 0)
  if (canHaveOwn) assert.equal(lineForOwnUser({ home, cluster }), null)
  chownSync(cluster, own.uid, own.gid)
})
