/**
 * Runs a command line with its dependencies: settings, the database for its own duration, the
 * terminal, Ctrl-C.
 */
import { systemClock } from '../ground/clock.ts'
import {
  environment,
  invokedAs,
  isSetting,
  readConfig,
  readVariable,
  type Environment,
} from '../ground/config.ts'
import { runCommand } from '../entrypoints/cli/run-command.ts'
import { followMove, sealTarget, writeMove } from './move-file.ts'
import { refuseMoved, withOpenDatabase } from './open-database.ts'
import { openOutbound, openResolver } from './open-outbound.ts'
import { readProviderSettings } from './open-providers.ts'
import { checkMasterKey, openSecrets } from './open-secrets.ts'
import { printMeter, printProgress } from './print.ts'
import { surveySettings } from './read-settings.ts'
import { settingsOf } from './service-settings.ts'
import { listenForStopSignals } from './stop-signal.ts'

/** The environment of a command line: its settings, its outputs, and the signal that ends it. */
interface Seat {
  env: Environment
  stdout: NodeJS.WritableStream
  stderr: NodeJS.WritableStream
  signal: AbortSignal
}

/**
 * Returns the exit code. After Ctrl-C the command ends and the database stops; a second Ctrl-C ends
 * at once.
 */
export function runOperatorCommand(argv: string[]): Promise<number> {
  const stopping = new AbortController()
  const stop = listenForStopSignals(systemClock, () => process.exit(130))
  void stop.first.then((why) => stopping.abort(new Error(why)))
  return runLine(argv, {
    env: environment(),
    stdout: process.stdout,
    stderr: process.stderr,
    signal: stopping.signal,
  })
}

/** One line of the operator, wherever it is run. Answers the exit code. */
export function runLine(argv: string[], { env, stdout, stderr, signal }: Seat): Promise<number> {
  const progress = printProgress(stderr)
  // A variable that the line itself names, such as that of --secret-env, is the operator's own.
  const settings = Object.fromEntries(
    Object.entries(env).filter(([name]) => isSetting(name) || !argv.includes(name)),
  )
  return runCommand(argv, {
    program: invokedAs(env),
    readConfig: (until) => followMove(readConfig(settings), until),
    surveySettings: () => surveySettings(settings),
    readVariable: (name) => readVariable(name, env),
    ...{ settingsOf, readProviderSettings, openOutbound, openResolver, openSecrets },
    async checkMasterKey(config, connectionString, options) {
      await refuseMoved(config, connectionString, options)
      await checkMasterKey(config, connectionString, false)
    },
    ...{ sealTarget, writeMove },
    ...{ stdout, stderr, clock: systemClock, signal, progress: progress.say },
    meter: printMeter(stderr),
    withDatabase: (config, say, work, options) =>
      withOpenDatabase(
        config,
        say,
        (connectionString) => {
          progress.done()
          return work(connectionString)
        },
        options,
      ),
  })
}
