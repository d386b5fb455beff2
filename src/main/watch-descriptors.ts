/**
 * Watches how many files and connections the system lets this process open: it warns at the start,
 * and when none is left.
 */
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { repeatEvery, type Clock } from '../ground/clock.ts'
import type { Log } from '../ground/log.ts'

/**
 * Below it a busy service runs out: connections to the database and to mail hosts, callers,
 * webhooks, files.
 */
export const descriptorsMin = 1_024

const pollEveryMs = 1_000
const lineEachMs = 60_000
const howToMend = 'raise it: ulimit -n, LimitNOFILE= of systemd, --ulimit nofile= of Docker'

/**
 * The limit of this process (Node.js raises the soft one to the hard one when it starts). Null
 * means the system does not say, or has none.
 */
export function descriptorsMax(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/** `tryOpen` opens a file and closes it again. */
export function watchDescriptors(
  { clock, log }: { clock: Clock; log: Log },
  {
    max = descriptorsMax(),
    tryOpen = openAndClose,
  }: { max?: number | null; tryOpen?: () => Promise<void> } = {},
): { stop(): void } {
  const stopping = new AbortController()
  if (max !== null && max < descriptorsMin)
    log.warn(
      { max, needed: descriptorsMin },
      `Few files and connections can be open at once; ${howToMend}`,
    )
  let saidMs = -Infinity
  let isOut = false
  const poll = async (): Promise<void> => {
    const code = await tryOpen().then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code,
    )
    const wasOut = isOut
    isOut = code === 'EMFILE' || code === 'ENFILE'
    if (isOut && (!wasOut || clock.monotonicMs() - saidMs >= lineEachMs)) {
      saidMs = clock.monotonicMs()
      log.error(
        { code, max },
        `No more files and connections can be opened: the service refuses callers and mail hosts; ${howToMend}`,
      )
    }
    if (wasOut && !isOut) log.info({ max }, 'Files and connections can be opened again')
  }
  // A watch that fails must not end the process.
  repeatEvery(clock, { everyMs: pollEveryMs, stopping: stopping.signal }, poll).catch(
    () => undefined,
  )
  return { stop: () => stopping.abort() }
}

async function openAndClose(): Promise<void> {
  const file = await open('/dev/null')
  await file.close()
}
