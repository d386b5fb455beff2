/** Asks at the terminal before something that cannot be undone. */
import { createInterface } from 'node:readline/promises'
import { CommandRefusal } from './refusal.ts'

/** `about` says what would happen; typing `answer` goes on. Throws `CommandRefusal` for any other answer, and without a terminal. */
export async function confirm(about: string, answer: string): Promise<void> {
  if (!process.stdin.isTTY) throw new CommandRefusal('usage', `${about} There is no terminal to ask at: give --yes.`)
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  const said = await asking.question(`${about} Type ${answer} to go on: `).finally(() => asking.close())
  if (said.trim().toLowerCase() !== answer.toLowerCase()) throw new CommandRefusal('refused', 'Nothing was changed.')
}
