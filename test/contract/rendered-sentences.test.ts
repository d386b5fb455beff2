/**
 * Every refusal, problem and finding that the sources can send is written out in both languages,
 * with the details that it is sent with, as the API, the pages and the command line do it. None has
 * a place that nobody filled.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createInstance, type TFunction } from 'i18next'
import { complianceReasons } from '../../src/contract/compliance.ts'
import { errorBody, errorKinds, type ErrorCode } from '../../src/contract/errors.ts'
import { hintText, type Hint } from '../../src/contract/hints.ts'
import type { Finding } from '../../src/core/campaigns/preflight/finding.ts'
import { printFinding } from '../../src/entrypoints/cli/campaign/print-finding.ts'
import { texts } from '../../src/ground/texts/texts.ts'
import { sayMore, sayWhat } from '../../web/src/api/refusal-words.ts'
import { Refusal } from '../../web/src/api/refusal.ts'
import { keyOf } from '../../web/src/parts/key-of.ts'
import { sayFinding, sayProblem } from '../../web/src/pages/campaigns/editor/say-finding.ts'
import en from '../../web/src/texts/en.json' with { type: 'json' }
import fr from '../../web/src/texts/fr.json' with { type: 'json' }

const languages = ['en', 'fr'] as const
const pages = { en, fr }

/** The words of one area of the pages, as a browser has them. */
function wordsOf(language: 'en' | 'fr', area: string): TFunction {
  const instance = createInstance()
  void instance.init({
    ...{
      lng: language,
      fallbackLng: false,
      ns: Object.keys(pages[language]),
      defaultNS: area,
      fallbackNS: 'shell',
    },
    ...{
      resources: { [language]: pages[language] },
      interpolation: { escapeValue: false },
      initAsync: false,
    },
  })
  return instance.getFixedT(language, area)
}

const sources = globSync('src/**/*.ts').map((file) => ({
  file,
  source: readFileSync(file, 'utf8'),
}))

/**
 * An object as it stands in the sources: its names, and whether more come from elsewhere
 * (`...rest`).
 */
interface Literal {
  file: string
  names: string[]
  isOpen: boolean
}

/** The text of the brackets that open at `from`, with them. */
function bracketsAt(source: string, from: number): string {
  let depth = 0
  for (let at = from; at < source.length; at++) {
    if ('{[('.includes(source[at] ?? '')) depth++
    else if ('}])'.includes(source[at] ?? '') && --depth === 0) return source.slice(from, at + 1)
  }
  return ''
}

/** Where the braces around a place open. */
function openingBefore(source: string, index: number): number {
  let depth = 0
  for (let at = index; at >= 0; at--) {
    if ('}])'.includes(source[at] ?? '')) depth++
    else if ('{[('.includes(source[at] ?? '') && depth-- === 0) return at
  }
  return -1
}

function readLiteral(file: string, text: string): Literal {
  const members: string[] = []
  let depth = 0
  let member = ''
  for (const sign of text.slice(1, -1)) {
    if ('{[('.includes(sign)) depth++
    if ('}])'.includes(sign)) depth--
    if (sign === ',' && depth === 0) {
      members.push(member)
      member = ''
    } else member += sign
  }
  const trimmed = [...members, member].map((each) => each.trim()).filter((each) => each !== '')
  const inner = trimmed
    .filter((each) => each.startsWith('...{'))
    .map((each) => readLiteral(file, each.slice(3)))
  return {
    file,
    names: [
      ...trimmed.flatMap((each) => /^(\w+)(?:\s*:|$)/.exec(each)?.[1] ?? []),
      ...inner.flatMap(({ names }) => names),
    ],
    isOpen: trimmed.some((each) => each.startsWith('...') && !each.startsWith('...{')),
  }
}

const numbers =
  /^(?:limit|max|min|count|of|needed|remaining|bytes|asked|links|images|reachable|tags|status|retry_after|rate\w*|\w+Max)$/

/** A value as that name has it; every number is one that needs a plural. */
function valueOf(name: string): unknown {
  if (numbers.test(name)) return 7
  if (/(?:At|_at)$|^(?:day|since)$/.test(name)) return '2026-11-21T08:30:00.000Z'
  if (name === 'tag') return 'firstName'
  if (name === 'field') return 'town'
  return `a ${name}`
}

/** An open one has whatever name a sentence asks for. */
const detailsOf = (
  { names, isOpen }: Literal,
  details: Record<string, unknown> = {},
): Record<string, unknown> => ({
  ...(isOpen && Object.fromEntries(everyName.map((name) => [name, valueOf(name)]))),
  ...Object.fromEntries(names.map((name) => [name, valueOf(name)])),
  ...details,
})

/** All names that sentences have a place for. */
const everyName = [
  ...new Set(
    [JSON.stringify(pages), JSON.stringify(texts)].flatMap((all) =>
      [...all.matchAll(/\{\{(\w+)\}\}/g)]
        .map(([, name = '']) => name)
        .filter((name) => name !== 'context'),
    ),
  ),
]

/** Merge tags that a sentence shows, and a literal text. */
const allowedTags =
  /\{\{(?: '…' |firstName|lastName|email|fields\.[a-z]+|unsubscribe_url|view_url)(?: \| default: [^}]*)?\}\}/g

function assertFilled(output: string, what: string): void {
  assert.notEqual(output.trim(), '', what)
  assert.doesNotMatch(
    output.replaceAll(allowedTags, ''),
    /\{\{|\}\}|undefined|\[object|NaN|Invalid Date/,
    `${what}: ${output}`,
  )
}

interface Refused {
  code: ErrorCode
  literal: Literal
  details: Record<string, unknown>
}

/**
 * `new ApiError('conflict', { reason: 'too_many', limit })`, and verbs' own `refusal('too_many', {
 * limit })`.
 */
function refusals(): Refused[] {
  return sources.flatMap(({ file, source }) =>
    [...source.matchAll(/\bnew ApiError\(\s*'(\w+)'(,\s*)?(?=(\{)?)/g)].flatMap(
      (match): Refused[] => {
        const code = match[1] ?? ''
        if (!isCode(code)) return []
        const from = (match.index ?? 0) + match[0].length
        const text = match[3] === undefined ? '{}' : bracketsAt(source, from)
        const literal = {
          ...readLiteral(file, text),
          ...(match[2] !== undefined && match[3] === undefined && { isOpen: true }),
        }
        const words = [...text.matchAll(/\b(reason|rule|status): '([\w.-]+)'/g)].map(
          ([, name = '', word]) => [name, word],
        )
        const list =
          code === 'suppressed_recipient'
            ? { recipients: [{ email: 'a@example.com', reason: 'bounce' }] }
            : {}
        return [
          { code, literal, details: detailsOf(literal, { ...list, ...Object.fromEntries(words) }) },
        ]
      },
    ),
  )
}

const isCode = (word: string): word is ErrorCode => Object.hasOwn(errorKinds, word)

test('each refusal of the sources is a filled sentence for programs and on the pages', () => {
  const result = refusals()
  assert.ok(result.length > 100, `${result.length} are found`)
  for (const language of languages) {
    const t = wordsOf(language, 'shell')
    for (const { code, literal, details } of result) {
      const what = `${literal.file} ${code} ${JSON.stringify(details)} ${language}`
      const { error } = errorBody(code, details, language)
      assertFilled(error.message, what)
      const refusal = new Refusal({ ...error, status: errorKinds[code].status })
      for (const text of [sayWhat(refusal, t), ...sayMore(refusal, t)])
        assertFilled(text, `page: ${what}`)
    }
  }
})

test('each hint is a sentence in both languages', () => {
  for (const language of languages)
    for (const hint of Object.keys(texts.fr.hints))
      assertFilled(hintText(hint as Hint, language), hint)
})

/** `{ path, rule: 'blocks', limit }` of a validation. */
const problems = (): { rule: string; literal: Literal }[] =>
  sources.flatMap(({ file, source }) =>
    [...source.matchAll(/\brule: '([\w.-]+)'/g)].flatMap(({ 1: rule = '', index }) => {
      const text = bracketsAt(source, openingBefore(source, index - 1))
      return text.startsWith('{') ? [{ rule, literal: readLiteral(file, text) }] : []
    }),
  )

test('each problem of a field is a filled sentence, at its field and in the editor', () => {
  const result = problems()
  assert.ok(result.length > 80, `${result.length} are found`)
  for (const language of languages) {
    const shell = wordsOf(language, 'shell')
    const drafts = wordsOf(language, 'drafts')
    for (const { rule, literal } of result) {
      const details = detailsOf(literal, {
        rule,
        path: 'subject',
        allowed: ['a', 'b'],
        expected: 'string',
      })
      const what = `${literal.file} ${JSON.stringify(details)} ${language}`
      const refusal = new Refusal({
        ...errorBody('validation_error', details, language).error,
        status: 422,
      })
      for (const text of sayMore(refusal, shell)) assertFilled(text, what)
      assertFilled(
        sayProblem(details as unknown as Parameters<typeof sayProblem>[0], drafts),
        `editor: ${what}`,
      )
    }
  }
})

/**
 * The requirement whose function of `evaluate-compliance.ts` a place is in; `alignment` is part of
 * the check of DMARC.
 */
function checkAt(source: string, index: number): string | undefined {
  const name =
    [...source.slice(0, index).matchAll(/\b(?:function|const) evaluate(\w+)/g)].at(-1)?.[1] ?? ''
  const requirement = name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
  return requirement === 'alignment' ? 'dmarc' : requirement
}

interface FindingSource {
  finding: Finding
  literal: Literal
}

/**
 * `warning('images', 'no_alt', { src })` of preflight, and `result('not_met', 'no_dmarc', { domain
 * })` of a domain.
 */
function findings(): FindingSource[] {
  const statuses = {
    ok: 'ok',
    warning: 'warning',
    problem: 'problem',
    met: 'ok',
    result: 'problem',
  } as const
  return sources
    .filter(({ file }) => /preflight|evaluate-compliance/.test(file))
    .flatMap(({ file, source }) =>
      [...source.matchAll(/(?<![\w.])(ok|warning|problem|met|result)\(/g)].flatMap(
        (match): FindingSource[] => {
          const call = bracketsAt(source, (match.index ?? 0) + (match[1] ?? '').length)
          const words = [...call.replace(/\{[^]*\}/, '').matchAll(/'(\w+)'/g)].map(
            ([, word = '']) => word,
          )
          const at = call.indexOf('{')
          const literal = readLiteral(file, at === -1 ? '{}' : bracketsAt(call, at))
          const status = statuses[match[1] as keyof typeof statuses]
          const isOfDomain = match[1] === 'met' || match[1] === 'result'
          const named = words.slice(1)
          const reasons = named.length === 0 && status === 'ok' ? ['good'] : named
          const check = isOfDomain ? checkAt(source, match.index ?? 0) : words[0]
          return reasons
            .filter(
              (reason) =>
                reason !== 'good' ||
                (check !== undefined && Object.hasOwn(en.drafts, `good_${check}`)),
            )
            .map((reason) => ({
              literal,
              finding: { check, status, reason, details: detailsOf(literal) } as Finding,
            }))
        },
      ),
    )
}

test('each finding of a check is a filled sentence on the pages and in the command line', () => {
  const result = findings()
  const reasons = new Set<string>(result.map(({ finding }) => finding.reason))
  assert.ok(result.length > 40, `${result.length} are found`)
  for (const reason of [
    'too_large',
    'missing_value',
    'held_back_many',
    'links_personal',
    'no_dmarc',
    'gmail_rate_high',
  ])
    assert.ok(reasons.has(reason), `${reason} is found`)
  const shownReasons = new Set<string>(
    Object.keys(en.drafts).flatMap((key) => /^reason_(\w+?)(?:_one|_other)?$/.exec(key)?.[1] ?? []),
  )
  for (const language of languages) {
    const t = wordsOf(language, 'drafts')
    const settings = wordsOf(language, 'settings')
    for (const { finding, literal } of result) {
      const what = `${literal.file} ${JSON.stringify(finding)} ${language}`
      if (shownReasons.has(finding.reason) || finding.reason === 'good') {
        assertFilled(sayFinding(finding, t, language), what)
        assertFilled(
          printFinding(finding, { slug: 'shop', id: 'x' }).message,
          `command line: ${what}`,
        )
        assertFilled(
          printFinding(finding, { slug: 'shop', id: 'x' }).next ?? '-',
          `command line: ${what}`,
        )
      }
      if (
        complianceReasons.some((reason) => reason === finding.reason) &&
        finding.reason !== 'good' &&
        literal.file.includes('compliance')
      )
        assertFilled(
          settings(keyOf('demandReason', finding.reason), finding.details),
          `domain: ${what}`,
        )
    }
  }
})
