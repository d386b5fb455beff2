/**
 * The roles of a process: the parts of the service that it runs, all of them or those that `--role`
 * names.
 */
import { parseArgs } from 'node:util'
import { OperatorError } from '../ground/operator-error.ts'

export const allRoles = ['api', 'worker', 'inbound', 'submission'] as const
export type ProcessRole = (typeof allRoles)[number]

/** Reads `--role api --role worker` and `--role api,worker`; none is all. */
export function readRoles(args: string[]): readonly ProcessRole[] {
  const named = parse(args).flatMap((value) => value.split(','))
  if (named.length === 0) return allRoles
  return allRoles.filter((role) => named.includes(role))
}

function parse(args: string[]): string[] {
  const usage = `start [--role ${allRoles.join('|')}]`
  try {
    const { role = [] } = parseArgs({
      args,
      options: { role: { type: 'string', multiple: true } },
    }).values
    const unknown = role
      .flatMap((value) => value.split(','))
      .find((name) => !allRoles.some((known) => known === name))
    if (unknown !== undefined) throw new OperatorError(`There is no role "${unknown}": ${usage}`)
    return role
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`${(error as Error).message.split('.')[0] ?? ''}: ${usage}`)
  }
}
