/** `facteur migrate`: brings the database to this version's schema, and starts nothing. */
import { migrate } from '../../db/connection/migrate.ts'
import { defineCommand } from './command.ts'
import { printed } from './result.ts'

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: "Bring the database to this version's schema",
  note: 'Starting the service does it too, and so does every command that needs the database. Forward only; each file once.',
  examples: ['migrate'],
  run: (surroundings) => {
    const config = surroundings.readConfig()
    return surroundings.withDatabase(config, surroundings.progress, async (connectionString) => {
      await surroundings.checkMasterKey(config, connectionString)
      const applied = await migrate(connectionString, { progress: surroundings.progress })
      return printed(
        { applied },
        applied.length === 0 ? 'The database has this version already; nothing was changed.' : `Applied ${applied.join(', ')}.`,
      )
    })
  },
})
