/** Writes times and numbers as operators read them, in tables of the command line and in checks. */

/**
 * `2026-11-21 04:53`, in UTC as the title of its column says; a dash where nothing happened yet.
 */
export const shownTime = (at: Date | null): string =>
  at?.toISOString().slice(0, 16).replace('T', ' ') ?? '-'

/** `1 234 567`: read alike in every country. */
export const shownNumber = (count: number): string =>
  String(count).replaceAll(/\B(?=(\d{3})+$)/g, ' ')

/** `12 MB`, `3.4 GB`: in powers of ten, as disks are sold. */
export function shownBytes(bytes: number): string {
  const [unit, size] =
    bytes < 1e6
      ? (['kB', 1e3] as const)
      : bytes < 1e9
        ? (['MB', 1e6] as const)
        : (['GB', 1e9] as const)
  const value = bytes / size
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}
