/**
 * Validates the colours of a form's page by their contrast, and derives all colours that the page
 * needs.
 */
import type { FormColours } from '../../contract/workspace/forms.ts'
import { shapeError } from '../input/shape-error.ts'

/** WCAG 2.2, 1.4.3 and 1.4.11: the minimum contrast of text, and of controls. */
const textMin = 4.5
const partMin = 3

export const contrastOf = ({
  background,
  text,
  button,
}: FormColours): { text: number; button: number } => ({
  text: ratio(text, background),
  button: ratio(button, background),
})

/** Throws `validation_error` for colours that make text unreadable, or the button hard to find. */
export function validateColours(colours: FormColours): void {
  const { text, button } = contrastOf(colours)
  const problem = (name: string, result: number, min: number) =>
    result < min ? [{ path: `colours.${name}`, rule: 'contrast', limit: min }] : []
  const problems = [...problem('text', text, textMin), ...problem('button', button, partMin)]
  if (problems.length > 0) throw shapeError(problems)
}

/** Parses colours from a query; null when they are not valid. */
export function readColours(query: Record<string, unknown>): FormColours | null {
  const { background, text, button } = query
  return isColour(background) && isColour(text) && isColour(button)
    ? { background, text, button }
    : null
}

const isColour = (value: unknown): value is string =>
  typeof value === 'string' && /^#[0-9a-f]{6}$/.test(value)

/** The same in light and dark mode, as the workspace chose it. Derived colours stay readable. */
export function writePalette({ background, text, button }: FormColours): string {
  const isDark = ratio('#ffffff', background) > ratio('#000000', background)
  const readable = (colour: string, min: number): string =>
    ratio(colour, background) >= min ? colour : text
  const values = {
    'color-scheme': isDark ? 'dark' : 'light',
    '--card': background,
    '--ground': mix(background, text, 0.06),
    '--ink': text,
    '--soft': readable(mix(text, background, 0.25), textMin),
    '--line': readable(mix(text, background, 0.5), partMin),
    '--accent': button,
    '--on-accent': ratio('#ffffff', button) >= ratio('#000000', button) ? '#ffffff' : '#000000',
    '--bad': readable(isDark ? '#ff9a9a' : '#b91c1c', textMin),
  }
  const lines = Object.entries(values).map(([name, value]) => `  ${name}: ${value};`)
  return `:root {\n${lines.join('\n')}\n}\n`
}

type Channels = [red: number, green: number, blue: number]

const channelsOf = (colour: string): Channels => [
  Number.parseInt(colour.slice(1, 3), 16),
  Number.parseInt(colour.slice(3, 5), 16),
  Number.parseInt(colour.slice(5, 7), 16),
]

/** Mixes this share of the second colour into the first. */
function mix(a: string, b: string, share: number): string {
  const others = channelsOf(b)
  const mixed = channelsOf(a).map((channel, index) =>
    Math.round(channel * (1 - share) + (others[index] ?? 0) * share),
  )
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/**
 * WCAG 2.2, contrast ratio: 1 to 21, rounded down to hundredths, so that a shown value never passes
 * when the exact one fails.
 */
function ratio(left: string, right: string): number {
  const [light = 0, dark = 0] = [luminance(left), luminance(right)].toSorted((a, b) => b - a)
  return Math.floor(((light + 0.05) / (dark + 0.05)) * 100) / 100
}

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [red, green, blue] = channelsOf(colour).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}
