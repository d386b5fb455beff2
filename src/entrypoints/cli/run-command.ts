/** Runs one command line of the operator: parse → command → print. */
import { OperatorError } from '../../ground/operator-error.ts'
import type { Surroundings } from './command.ts'
import { commands } from './commands.ts'
import { helpFor } from './help.ts'
import { parse, readGlobals } from './parse.ts'
import { createPrinter } from './printer.ts'
import { CommandRefusal } from './refusal.ts'
import type { Result } from './result.ts'
import { spellCommands } from './spell-commands.ts'

const stopped = 'Stopped before it was done: give the same command again.'

/**
 * Returns the exit code: 0 done, 1 refused, not found or failed, 2 usage, 130 stopped. Never
 * rejects.
 */
export async function runCommand(
  argv: readonly string[],
  parts: Omit<Surroundings, 'spell'>,
): Promise<number> {
  const globals = readGlobals(argv)
  const spell = spellCommands(parts.program, commands)
  const printer = createPrinter({ ...parts, json: globals.json, spell })
  // Programs read one document; progress texts are for a terminal only, and printed once.
  let shown = ''
  const progress = (text: string): void => {
    if (!globals.json && text !== shown) parts.progress(text)
    shown = text
  }
  try {
    const parsed = parse(globals, commands)
    if (parsed.kind === 'help') return await printer.print(helpFor(parsed.words, commands))
    const meter = globals.json
      ? { show: () => undefined, clear: () => undefined, changes: false }
      : parts.meter
    const print = (result: Result): Promise<number> => {
      meter.clear()
      return printer.print(result)
    }
    const exitCode = await parsed.command.run(
      { ...parts, progress, meter, spell },
      parsed.input,
      print,
    )
    return parts.signal.aborted ? 130 : exitCode
  } catch (error) {
    parts.meter.clear()
    // A command that ends with a sentence of its own says what was done until then.
    const isPlain = parts.signal.aborted && !(error instanceof OperatorError)
    const exitCode = await printer.refuse(isPlain ? new CommandRefusal('stopped', stopped) : error)
    return parts.signal.aborted ? 130 : exitCode
  }
}
