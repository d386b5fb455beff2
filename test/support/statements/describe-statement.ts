/** What PostgreSQL says of a statement before it runs (protocol: Parse, Describe). */
import type pg from 'pg'
import type { FieldDef } from 'pg'

export interface Description {
  /** The types of the parameters. */
  parameters: number[]
  columns: FieldDef[]
}

/** The messages of the protocol, which the package's types leave out. */
interface Wire {
  parse(message: { text: string; name: string; types: number[] }): void
  describe(message: { type: 'S'; name: string }): void
  sync(): void
  once(event: 'parameterDescription', listen: (message: { dataTypeIDs: number[] }) => void): void
}

/** Rejects with the refusal of a text that PostgreSQL cannot parse. */
export function describeStatement(client: pg.Client, text: string): Promise<Description> {
  return new Promise((resolve, reject) => {
    const description: Description = { parameters: [], columns: [] }
    client.query({
      submit(connection: pg.Connection) {
        const wire = connection as unknown as Wire
        wire.once('parameterDescription', ({ dataTypeIDs }) => {
          description.parameters = dataTypeIDs
        })
        wire.parse({ text, name: '', types: [] })
        wire.describe({ type: 'S', name: '' })
        wire.sync()
      },
      handleRowDescription({ fields }: { fields: FieldDef[] }) {
        description.columns = fields
      },
      handleReadyForQuery: () => resolve(description),
      handleError: reject,
    } as pg.Submittable)
  })
}
