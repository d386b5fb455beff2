/** Asks at the terminal before something that cannot be undone. */
import { createInterface } from 'node:readline/promises'
import { CommandRefusal } from './refusal.ts'

/**
 * `about` says what would happen; typing `answer` goes on. Throws `CommandRefusal` for any other
 * answer, with the words `otherwise`, and without a terminal.
 */
export async function confirm(
  about: string,
  answer: string,
  otherwise = 'Nothing was changed.',
): Promise<void> {
  requireTerminal(about)
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  const reply = await asking
    .question(`${about} Type ${answer} to go on: `)
    .finally(() => asking.close())
  if (reply.trim().toLowerCase() !== answer.toLowerCase())
    throw new CommandRefusal('refused', otherwise)
}

/** For a question that comes after long work. */
export function requireTerminal(about: string): void {
  if (!process.stdin.isTTY)
    throw new CommandRefusal('usage', `${about} There is no terminal to ask at: give --yes.`)
}
