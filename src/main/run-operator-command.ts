/** Gives the command line what it may use: settings, the database for its own duration, the terminal, Ctrl-C. */
import { systemClock } from '../clock.ts'
import { readConfig, readVariable } from '../config.ts'
import { runCommand } from '../entrypoints/cli/run-command.ts'
import { createLinkTokens } from '../link-tokens.ts'
import { settingsOf } from './open-context.ts'
import { withOpenDatabase } from './open-database.ts'
import { openOutbound } from './open-outbound.ts'
import { readProviderSettings } from './open-providers.ts'
import { openResolver } from './open-resolver.ts'
import { openSecrets } from './open-secrets.ts'
import { printMeter, printProgress } from './print.ts'
import { hearStopSignals } from './stop-signal.ts'

/** Answers the exit code. Ctrl-C lets the command end and the database stop; a second one does not. */
export function runOperatorCommand(argv: string[]): Promise<number> {
  const { stdout, stderr } = process
  const stopping = new AbortController()
  const stop = hearStopSignals(systemClock, () => process.exit(130))
  void stop.first.then((why) => stopping.abort(new Error(why)))
  const progress = printProgress()
  return runCommand(argv, {
    ...{ readConfig, readVariable, settingsOf, readProviderSettings, openOutbound, openResolver, openSecrets },
    openLinkTokens: async (config, db) => createLinkTokens((await openSecrets(config, db)).derive('links')),
    ...{ stdout, stderr, clock: systemClock, signal: stopping.signal, progress: progress.say },
    meter: printMeter(),
    withDatabase: (config, say, work) =>
      withOpenDatabase(config, say, (connectionString) => {
        progress.done()
        return work(connectionString)
      }),
  })
}
