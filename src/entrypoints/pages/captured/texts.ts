/** Texts of the capture mailbox's pages, and their formats of sizes and times. */
import {
  fill,
  texts as all,
  type Language,
  type Texts as All,
} from '../../../ground/texts/texts.ts'

export type CapturedTexts = All['capturedPages']

export const capturedTexts: Record<Language, CapturedTexts> = {
  fr: all.fr.capturedPages,
  en: all.en.capturedPages,
}

/** A size in the greatest unit that fits. */
export function inUnits(byteCount: number, language: Language): string {
  const { bytes, kilobytes, megabytes } = capturedTexts[language]
  const [text, size] =
    byteCount < 1_000
      ? ([bytes, 0] as const)
      : byteCount < 1_000_000
        ? ([kilobytes, 1] as const)
        : ([megabytes, 2] as const)
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: size })
  return fill(text, { count: format.format(byteCount / 1_000 ** size) })
}

/**
 * "3 minutes ago" at the greatest unit that fits; of the future, as a clock may be a little ahead,
 * "now".
 */
export function ago(at: Date, now: Date, language: Language): string {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1000))
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const [unit, length] = units.find(([, least]) => seconds >= least) ?? (['second', 1] as const)
  return format.format(-Math.floor(seconds / length), unit)
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/**
 * Writes a time in words, in UTC, because the reader's zone is unknown. A text that is no time
 * stays unchanged.
 */
export function inWords(moment: string, language: Language): string {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return moment
  return new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: 'UTC',
  }).format(at)
}
