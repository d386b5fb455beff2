/**
 * What keeps VACUUM from removing row versions: each is opened as a foreign program would, and
 * closed after its phase.
 */
import pg from 'pg'

export type HolderName = 'none' | 'snapshot' | 'number' | 'slot'

interface Holder {
  says: string
  open(connectionString: string): Promise<{ close(): Promise<unknown> }>
}

const openTransaction =
  (...texts: string[]): Holder['open'] =>
  async (connectionString) => {
    const client = new pg.Client({ connectionString, application_name: 'a report' })
    await client.connect()
    for (const text of texts) await client.query(text)
    return { close: () => client.end() }
  }

export const holders: Record<HolderName, Holder> = {
  none: {
    says: 'nothing is held',
    open: () => Promise.resolve({ close: () => Promise.resolve() }),
  },
  snapshot: {
    says: 'a report holds a snapshot',
    open: openTransaction(
      'begin isolation level repeatable read',
      'select count(*) from workspace',
    ),
  },
  number: {
    says: 'a transaction without a snapshot has a number',
    open: openTransaction('begin', 'select txid_current()'),
  },
  slot: {
    // It holds the catalogs and the log; rows of tables are held by a standby's slot with
    // hot_standby_feedback, as by a snapshot.
    says: 'a logical replication slot is not read',
    async open(connectionString) {
      const client = new pg.Client({ connectionString })
      await client.connect()
      await client.query(`select pg_create_logical_replication_slot('idle', 'pgoutput')`)
      return {
        async close() {
          await client.query(`select pg_drop_replication_slot('idle')`)
          await client.end()
        },
      }
    },
  },
}
