/** Which servers an address of the database names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { readDatabaseServers, serverName } from '../../src/ground/database-servers.ts'

test('one server in the usual way: its address stays as it was written', () => {
  for (const address of [
    'postgres://me:p%40ss@db.example.com/facteur',
    'postgresql://db.example.com:5433/facteur?sslmode=verify-full',
    'postgres://me@/facteur?host=%2Frun%2Fpostgresql',
    'postgres://me@%2Frun%2Fpostgresql/facteur',
    'postgres://[::1]/facteur?target_session_attrs=any',
    'postgres://db.example.com/facteur?target_session_attrs=',
  ]) {
    const { servers, mustWrite } = readDatabaseServers(address)
    assert.deepEqual([servers.map(({ url }) => url), mustWrite], [[address], false])
  }
})

test('several servers: each with its own port, the login and the settings of all', () => {
  const { servers, mustWrite } = readDatabaseServers(
    'postgres://me:p%40ss@a,b:5433,[::1]:5434/facteur?target_session_attrs=read-write&sslmode=verify-full',
  )
  assert.deepEqual(
    servers.map(({ url }) => url),
    ['a:5432', 'b:5433', '[::1]:5434'].map(
      (location) => `postgres://me:p%40ss@${location}/facteur?sslmode=verify-full`,
    ),
  )
  assert.deepEqual(servers.map(serverName), ['a:5432', 'b:5433', '[::1]:5434'])
  assert.equal(mustWrite, true)
})

test('a password with an @ of its own: no server is named by a part of it', () => {
  const { servers } = readDatabaseServers(
    'postgres://me:sec@ret@127.0.0.1:61001,127.0.0.1:61002/facteur',
  )
  assert.deepEqual(servers.map(serverName), ['127.0.0.1:61001', '127.0.0.1:61002'])
  assert.deepEqual(
    servers.map(({ url }) => [new pg.Client(url).host, new pg.Client(url).password]),
    servers.map(() => ['127.0.0.1', 'sec@ret']),
  )
})

test('lists of host and port as libpq has them; a socket among them', () => {
  const { servers } = readDatabaseServers('postgres://me@/facteur?host=a,/run/pg&port=5433')
  assert.deepEqual(
    servers.map(({ url }) => url),
    ['postgres://me@a:5433/facteur', 'postgres://me@/facteur?host=%2Frun%2Fpg&port=5433'],
  )
})

test('one server that has to take writes', () => {
  const { servers, mustWrite } = readDatabaseServers(
    'postgres://me@db/facteur?target_session_attrs=primary',
  )
  assert.deepEqual(
    [servers.map(({ url }) => url), mustWrite],
    [['postgres://me@db:5432/facteur'], true],
  )
})

test('a refusal says what is expected, and shows no password', () => {
  for (const [address, expected] of [
    ['postgres://me:secret@a,/facteur', /^expected several hosts as in/],
    ['postgres://me:secret@a,b:x/facteur', /^expected several hosts as in/],
    ['postgres://me:secret@a,b:70000/facteur', /^a port is a number from 1 to 65535$/],
    ['postgres://me:secret@/facteur?host=a,b,c&port=1,2', /^host names 3 servers and port 2/],
    ['postgres://me:secret@/facteur?host=a,', /^a name is missing/],
    ['postgres://me:secret@a,,b/facteur', /^expected several hosts as in/],
    ['postgres://hidden%40a,secret%40b/facteur', /^a host is named with an @ or a space/],
    ['postgres://me@/facteur?host=secret%40a', /^a host is named with an @ or a space/],
    ['postgres://me:hidden@a, secret/facteur', /^a host is named with an @ or a space/],
    ['postgres://me@/facteur?host=a,%20secret', /^a host is named with an @ or a space/],
    [
      'postgres://me:secret@a,b/facteur?target_session_attrs=standby',
      /^target_session_attrs has to be read-write/,
    ],
  ] as const)
    assert.throws(
      () => readDatabaseServers(address),
      (error: Error) => expected.test(error.message) && !error.message.includes('secret'),
      address,
    )
})
