/**
 * The log: one JSON line an event on standard output, readable lines on a terminal; no secrets, and
 * no addresses of contacts at info level. Each line that is written while a request is answered
 * carries its identifier.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { pino, type DestinationStream } from 'pino'
import type { Clock } from './clock.ts'
import type { LogLevel } from './config.ts'

export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * Fields whose value never belongs in a log. Only top-level names count: a deeper search costs more
 * than the rest of a line.
 */
const secretFields = [
  'key',
  'password',
  'secret',
  'token',
  'authorization',
  'cookie',
  'connectionString',
  'apiKey',
  'masterKey',
]

export interface LogOptions {
  level: LogLevel
  clock: Clock
  /** Lines to read instead of JSON. */
  readable: boolean
  write: (text: string) => void
}

export function createLog({ level, clock, readable, write }: LogOptions): Log {
  const destination: DestinationStream = {
    write: readable ? (line) => write(forReaders(line)) : write,
  }
  return pino(
    {
      level,
      base: null,
      mixin: () => {
        const requestId = scope.getStore()
        return requestId === undefined ? {} : { requestId }
      },
      timestamp: () => `,"time":"${clock.now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretFields, censor: '***' },
      serializers: { err: showError },
    },
    destination,
  )
}

const scope = new AsyncLocalStorage<string>()

/** Runs `work`, and all that it starts, as part of the request. */
export const inRequest = <T>(requestId: string, work: () => T): T => scope.run(requestId, work)

/**
 * The caller's own `X-Request-Id` when it can stand in a log line and a header, and holds no key,
 * else a new one.
 */
export function chooseRequestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^(?!.*fct_)[A-Za-z0-9._-]{1,100}$/i.test(header)
    ? header
    : randomUUID()
}

/** How long a line may wait for others, in milliseconds. */
const joinMs = 5

/**
 * Writes lines of a short interval together, because a system call for each would cost more than
 * the line. The process writes the rest at exit; only a kill loses the lines of the last
 * milliseconds.
 */
export function joinLines(write: (text: string) => void): (line: string) => void {
  let pending = ''
  const flush = (): void => {
    const text = pending
    pending = ''
    if (text !== '') write(text)
  }
  process.on('exit', flush)
  return (line) => {
    if (pending === '') setTimeout(flush, joinMs)
    pending += line
  }
}

/**
 * Only the fields of an error that help: errors of the database carry values of rows in `detail`,
 * of HTTP clients whole requests.
 */
function showError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error ? { code: error.code } : {}
  return {
    type: error.name,
    message: error.message,
    ...code,
    stack: error.stack,
    ...(error.cause ? { cause: showError(error.cause) } : {}),
  }
}

/** `12:03:59 warn  message  name=value …`; an error's stack on lines of its own. */
function forReaders(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown> & {
    err?: { stack?: string }
  }
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const stack = err?.stack ? `\n${err.stack}` : ''
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}${shown.join('')}${stack}\n`
}
