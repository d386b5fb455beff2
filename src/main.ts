/**
 * The program `facteur`: starts the service, or runs one command of the operator. Errors that the
 * operator can correct are one line.
 */
import { systemClock } from './ground/clock.ts'
import { environment } from './ground/config.ts'
import { createLog, joinLines } from './ground/log.ts'
import { readRoles } from './main/roles.ts'
import { OperatorError } from './ground/operator-error.ts'

// The reader of our output may go away before us (`npm start | head`).
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

process.exit(await run(process.argv.slice(2)))

/**
 * Loads only the needed modules: a command does not wait for the web server, and a worker has none
 * in memory.
 */
async function run(argv: string[]): Promise<number> {
  const [command, ...args] = argv
  if (command !== 'start' || args.includes('--help') || args.includes('-h')) {
    const { runOperatorCommand } = await import('./main/run-operator-command.ts')
    return runOperatorCommand(argv)
  }
  try {
    const { startService } = await import('./main/start-service.ts')
    const { readSettings } = await import('./main/read-settings.ts')
    const roles = readRoles(args)
    const config = await readSettings(environment(), roles)
    const log = createLog({
      level: config.logLevel,
      clock: systemClock,
      readable: process.stdout.isTTY,
      write: joinLines(process.stdout.write.bind(process.stdout)),
    })
    return await startService(config, log, roles)
  } catch (error) {
    process.stderr.write(
      error instanceof OperatorError
        ? `${error.message}\n`
        : `${String((error as Error)?.stack ?? error)}\n`,
    )
    return 1
  }
}
