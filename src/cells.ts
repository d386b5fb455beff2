/** Writes times and numbers as operators read them, in lists of the command line and in checks. */

/** `2026-11-21 04:53`, in UTC as the title of its column says; a dash where nothing happened yet. */
export const timeCell = (at: Date | null): string => at?.toISOString().slice(0, 16).replace('T', ' ') ?? '-'

/** `1 234 567`: read alike in every country. */
export const numberCell = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ' ')
