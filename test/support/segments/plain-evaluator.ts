/**
 * Says whether a contact is in a segment, one contact after the other, by the words of the issue.
 * It shares no code, no schema and no statement with the compiler, which it is there to check.
 */

/** All that is known of a contact. */
export interface PlainContact {
  id: string
  status: string
  tags: string[]
  /** By the field's identifier. */
  fields: Record<string, PlainField>
  source: string
  form: string | null
  language: string | null
  created: Date
  confirmed: Date | null
  unsubscribed: Date | null
  consents: { act: string; at: Date }[]
  mails: { campaign: string; status: string; sent: Date | null }[]
  engagements: { campaign: string; kind: string; visitor: string; at: Date }[]
}

export interface PlainField {
  type: string
  choices: string[]
  /** Null if the contact has none. */
  value: string | null
}

interface Reading {
  timeZone: string
  at: Date
  /** A deliberately broken variant, which the tests must catch. */
  broken?: 'none of nothing' | 'is_not of absent' | 'case' | 'zone' | 'relays' | 'days to come'
}

type Json = Record<string, unknown>

export function isInSegment(contact: PlainContact, definition: unknown, reading: Reading): boolean {
  const holds = (inner: unknown): boolean => isInSegment(contact, inner, reading)
  const condition = definition as Json
  if ('all' in condition) return (condition['all'] as unknown[]).every(holds)
  if ('any' in condition) return (condition['any'] as unknown[]).some(holds)
  if ('none' in condition) {
    const inner = condition['none'] as unknown[]
    if (reading.broken === 'none of nothing' && inner.length === 0) return false
    return !inner.some(holds)
  }
  return holdsAlone(contact, condition, reading)
}

function holdsAlone(contact: PlainContact, condition: Json, reading: Reading): boolean {
  const same = (a: string, b: string) => fold(a, reading) === fold(b, reading)
  if ('tag' in condition) return contact.tags.some((tag) => same(tag, String(condition['tag'])))
  if ('field' in condition)
    return compares(contact.fields[String(condition['field'])], condition, reading)
  if ('status' in condition) return contact.status === condition['status']
  if ('language' in condition) return contact.language === condition['language']
  if ('source' in condition)
    return (
      contact.source === condition['source'] &&
      (condition['form'] === undefined || contact.form === condition['form'])
    )
  if ('created' in condition) return isDate(contact.created, condition['created'], reading)
  if ('confirmed' in condition) return isDate(contact.confirmed, condition['confirmed'], reading)
  if ('unsubscribed' in condition)
    return isDate(contact.unsubscribed, condition['unsubscribed'], reading)
  if ('subscribed' in condition) {
    const since = contact.status === 'subscribed' ? (contact.confirmed ?? contact.created) : null
    return isDate(since, condition['subscribed'], reading)
  }
  if ('consented' in condition) {
    const agreed = contact.consents.filter(({ act }) => act === 'confirmed' || act === 'registered')
    return isDate(latest(agreed.map(({ at }) => at)), condition['consented'], reading)
  }
  return engaged(contact, condition, reading)
}

function engaged(contact: PlainContact, condition: Json, reading: Reading): boolean {
  const [kind = ''] = Object.keys(condition)
  const test = condition[kind] as Json
  const times =
    kind === 'received'
      ? contact.mails.flatMap(({ campaign, sent }) => (sent ? [{ campaign, at: sent }] : []))
      : contact.engagements.filter((each) => counts(each, kind, test, reading))
  if ('campaign' in test) return times.some(({ campaign }) => campaign === test['campaign'])
  return isDate(latest(times.map(({ at }) => at)), test, reading)
}

function counts(
  { kind, visitor }: PlainContact['engagements'][number],
  counted: string,
  test: Json,
  { broken }: Reading,
): boolean {
  if (visitor === 'scanner') return false
  if (counted === 'clicked') return kind === 'click'
  return broken === 'relays' || test['by'] === 'any' || visitor === 'person'
}

const latest = (times: Date[]): Date | null =>
  times.length === 0 ? null : new Date(Math.max(...times.map(Number)))

function isDate(at: Date | null, written: unknown, reading: Reading): boolean {
  const test = written as Json
  if ('never' in test) return at === null
  if (at === null) return false
  if ('within_days' in test)
    return at.getTime() >= reading.at.getTime() - Number(test['within_days']) * 24 * 60 * 60 * 1000
  const day = dayIn(reading.broken === 'zone' ? 'UTC' : reading.timeZone, at)
  return 'before' in test ? day < String(test['before']) : day > String(test['after'])
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The day as `2026-11-29`. */
function dayIn(timeZone: string, at: Date): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', {
      ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit' },
    })
  formats.set(timeZone, format)
  return format.format(at)
}

function compares(field: PlainField | undefined, test: Json, reading: Reading): boolean {
  const value = field === undefined ? null : valueOf(field)
  if ('empty' in test) return (value === null) === test['empty']
  if ('is_not' in test) {
    if (value === null) return reading.broken !== 'is_not of absent'
    return !equals(field, value, String(test['is_not']), reading)
  }
  if (value === null) return false
  if ('is' in test) return equals(field, value, String(test['is']), reading)
  if ('contains' in test)
    return fold(value, reading).includes(fold(String(test['contains']), reading))
  if ('within_days' in test) return isLately(value, Number(test['within_days']), reading)
  if ('before' in test) return value < String(test['before'])
  if ('after' in test) return value > String(test['after'])
  if ('above' in test) return Number(value) > Number(test['above'])
  return Number(value) < Number(test['below'])
}

/** Today or one of so many days before, and no day to come. */
function isLately(day: string, days: number, { at, timeZone, broken }: Reading): boolean {
  const today = dayIn(broken === 'zone' ? 'UTC' : timeZone, at)
  const first = new Date(`${today}T00:00:00Z`)
  first.setUTCDate(first.getUTCDate() - days)
  return (broken === 'days to come' || day <= today) && day >= first.toJSON().slice(0, 10)
}

function equals(
  field: PlainField | undefined,
  value: string,
  text: string,
  reading: Reading,
): boolean {
  if (field?.type === 'number') return Number(value) === Number(text)
  if (field?.type === 'text' || field?.type === 'choice')
    return fold(value, reading) === fold(text, reading)
  return value === text
}

/** Null if there is none, or one that does not fit. */
function valueOf({ type, choices, value }: PlainField): string | null {
  if (value === null) return null
  if (type === 'number') return /^-?(0|[1-9]\d{0,14})(\.\d{1,10})?$/.test(value) ? value : null
  if (type === 'boolean') return value === 'true' || value === 'false' ? value : null
  if (type === 'choice') return choices.includes(value) ? value : null
  return type === 'date' && !isDay(value) ? null : value
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !text.startsWith('0000') &&
  new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text

/** One letter for one letter, and none beyond ASCII becomes one of ASCII. */
const fold = (text: string, { broken }: Reading): string =>
  broken === 'case'
    ? text
    : Array.from(text, (letter) => {
        const lower = letter.toLowerCase()
        if (Array.from(lower).length > 1) return letter
        return letter.charCodeAt(0) > 127 && lower.charCodeAt(0) < 128 ? letter : lower
      }).join('')
