/** The program `facteur`: starts the service, or runs one command of the operator. Errors that the operator can mend are one line. */
import { systemClock } from './clock.ts'
import { readConfig } from './config.ts'
import { createLog, joinLines } from './log.ts'
import { readRoles } from './main/roles.ts'
import { runOperatorCommand } from './main/run-operator-command.ts'
import { startService } from './main/start-service.ts'
import { OperatorError } from './operator-error.ts'

// Whoever reads our output may go away before us (`npm start | head`).
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

process.exit(await run(process.argv.slice(2)))

async function run(argv: string[]): Promise<number> {
  const [command, ...args] = argv
  if (command !== 'start' || args.includes('--help') || args.includes('-h')) return runOperatorCommand(argv)
  try {
    const config = readConfig()
    const log = createLog({
      level: config.logLevel,
      clock: systemClock,
      readable: process.stdout.isTTY,
      write: joinLines((text) => process.stdout.write(text)),
    })
    return await startService(config, log, readRoles(args))
  } catch (error) {
    process.stderr.write(error instanceof OperatorError ? `${error.message}\n` : `${String((error as Error)?.stack ?? error)}\n`)
    return 1
  }
}
