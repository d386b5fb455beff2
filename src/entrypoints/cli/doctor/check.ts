/** The type of a doctor's check and its findings. */
export interface Check {
  name: string
  /** A warning needs attention and stops nothing; a problem stops something. */
  status: 'ok' | 'warning' | 'problem'
  message: string
  /** The remedy; null where there is nothing to do. */
  next: string | null
}

export const passed = (name: string, message: string): Check => ({ name, status: 'ok', message, next: null })
export const warned = (name: string, message: string, next: string): Check => ({ name, status: 'warning', message, next })
export const failed = (name: string, message: string, next: string): Check => ({ name, status: 'problem', message, next })

export const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? messageOf(error.cause) : error.message
}

export const errorCodeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')
