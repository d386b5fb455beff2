/**
 * Signals to a PostgreSQL server and all its processes, as if its machine were lost or stood still.
 */
import { spawnSync } from 'node:child_process'

/**
 * The first makes the others, so that it gets the signal before them. Each is the leader of a group
 * of its own.
 */
export function signalPostgres(first: number, name: NodeJS.Signals): void {
  // It has none while it starts; `ps` then ends with 1.
  const { stdout: children } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(first)], {
    encoding: 'utf8',
  })
  for (const pid of [first, ...children.split(/\s+/).filter(Boolean).map(Number)]) {
    try {
      process.kill(pid, name)
    } catch (error) {
      // It has ended with the first.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
