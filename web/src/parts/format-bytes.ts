/** A size as it is read: `812 kB`, `3.2 MB`, `3,2 Mo`. */

const kilo = 1_024

export function formatBytes(bytes: number, language: string): string {
  const [unit, share] = bytes < kilo * kilo ? (['kilobyte', kilo] as const) : (['megabyte', kilo * kilo] as const)
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: unit === 'kilobyte' ? 0 : 1 })
  return format.format(bytes / share)
}
