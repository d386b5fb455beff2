/** Distinguishes a process from a later one with the same pid, which the system reuses after a crash or a restart. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** When the process started, as a text that no other process with this pid shares on this machine; null when there is none. */
export function processStamp(pid: number): string | null {
  if (process.platform !== 'linux') return ask(pid, 'lstart')
  const fields = statFields(pid)
  // proc_pid_stat(5): field 22 is the start time in ticks since boot; counted here from field 3.
  return fields && fields[0] !== 'Z' ? `${bootId()}:${fields[19]}` : null
}

/** The command line of a process, for telling whether it is a PostgreSQL of ours; empty when there is none. */
export function commandLine(pid: number): string {
  if (process.platform !== 'linux') return ask(pid, 'command') ?? ''
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** The fields after the program's name, which may itself hold spaces and parentheses. */
function statFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

function ask(pid: number, column: 'lstart' | 'command'): string | null {
  try {
    return (
      execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim() || null
    )
  } catch {
    return null
  }
}
