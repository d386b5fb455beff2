/**
 * Distinguishes a process from a later one with the same pid, which the system reuses after a crash
 * or a restart.
 */
import { outputOf, textOfFile } from './read-text.ts'

/**
 * When the process started, as a text that no other process with this pid shares on this machine;
 * null when there is none.
 */
export function processStamp(pid: number): string | null {
  if (process.platform !== 'linux') return ask(pid, 'lstart')
  const fields = statFields(pid)
  // proc_pid_stat(5): field 22 is the start time in ticks since boot; counted here from field 3.
  return fields && fields[0] !== 'Z' ? `${bootId()}:${fields[19]}` : null
}

/**
 * The command line of a process, for telling whether it is a PostgreSQL of ours; empty when there
 * is none.
 */
export function commandLine(pid: number): string {
  if (process.platform !== 'linux') return ask(pid, 'command') ?? ''
  return textOfFile(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') ?? ''
}

/** The fields after the program's name, which may itself hold spaces and parentheses. */
function statFields(pid: number): string[] | null {
  const stat = textOfFile(`/proc/${pid}/stat`)
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

const bootId = (): string => textOfFile('/proc/sys/kernel/random/boot_id')?.trim() ?? ''

const ask = (pid: number, column: 'lstart' | 'command'): string | null =>
  outputOf('ps', ['-o', `${column}=`, '-p', String(pid)]) || null
