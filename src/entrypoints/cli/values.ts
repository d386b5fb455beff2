/** How the values of commands are read: each judges one text and says what it should have been. */
import { parseMailbox } from '../../contract/address.ts'
import type { Mailbox } from '../../contract/address.ts'
import { readDomain as parseDomain } from '../../contract/domain-name.ts'
import { allScopes, isScope } from '../../contract/scopes.ts'
import type { Scope } from '../../contract/scopes.ts'
import { didYouMean } from './nearest.ts'
import { Refusal } from './refusal.ts'

const nameMax = 120

/** A name that people see: 1 to 120 characters, none of them a control character. */
export function readName(text: string): string {
  const name = text.trim()
  if (name === '' || [...name].length > nameMax || /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(name)) {
    throw new Refusal('usage', `A name is 1 to ${nameMax} characters, without control characters.`)
  }
  return name
}

export const readText = (text: string): string => text

/** One word of a few. */
export function readChoice<const Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text)
    if (choice !== undefined) return choice
    throw new Refusal('usage', `"${text}" is none of ${choices.join(', ')}${didYouMean(text, choices)}`)
  }
}

export function readWhole(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= min && number <= max) return number
    throw new Refusal('usage', `"${text}" is not a whole number from ${min} to ${max}.`)
  }
}

export function readNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+(\.\d+)?$/.test(text) && number >= min && number <= max) return number
    throw new Refusal('usage', `"${text}" is not a number from ${min} to ${max}.`)
  }
}

/** Recipients a month; `none` is no limit. */
export function readMonthly(text: string): number | 'none' {
  if (text === 'none') return 'none'
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number
  throw new Refusal('usage', `"${text}" is neither a whole number of recipients a month nor none.`)
}

export function readScopes(text: string): Scope[] {
  const asked = text.split(',').map((scope) => scope.trim())
  const unknown = asked.find((scope) => !isScope(scope))
  if (unknown !== undefined) {
    throw new Refusal(
      'usage',
      `There is no scope "${unknown}"${didYouMean(unknown, allScopes)} The scopes are ${allScopes.join(', ')}.`,
    )
  }
  return allScopes.filter((scope) => asked.includes(scope))
}

/** A domain as A-label: `exämple.com` is `xn--exmple-cua.com`. */
export function readDomain(text: string): string {
  const domain = parseDomain(text)
  if (typeof domain === 'string') return domain
  throw new Refusal('usage', `"${text}" is not a domain name such as mail.example.com (${domain.rule}).`)
}

/** An address alone, without a name. */
export function readAddress(text: string): Mailbox {
  const mailbox = parseMailbox(text)
  if ('rule' in mailbox) throw new Refusal('usage', `"${text}" is not an address such as ada@example.com (${mailbox.rule}).`)
  if (mailbox.name !== null) throw new Refusal('usage', `"${text}" is an address with a name: give ${mailbox.address} alone.`)
  return mailbox
}

/** An address lower-cased, as it is compared; or `none`. */
export const readContact = (text: string): string => (text === 'none' ? text : readAddress(text).key)

export function readSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new Refusal('usage', `"${text}" is neither on nor off.`)
}

export function readLanguage(text: string): 'fr' | 'en' | 'default' {
  if (text === 'fr' || text === 'en' || text === 'default') return text
  throw new Refusal('usage', `"${text}" is none of fr, en, default.`)
}

const addressMax = 500

/** Lines of a postal address, divided by line feeds or `\\n`; empty for `none`. */
export function readPostalAddress(text: string): string {
  if (text === 'none') return ''
  const lines = text
    .replaceAll('\\n', '\n')
    .split('\n')
    .map((line) => line.trim())
  const address = lines.filter((line) => line !== '').join('\n')
  const harmless = !/(?!\n)[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(address)
  if (address !== '' && [...address].length <= addressMax && harmless) return address
  throw new Refusal('usage', `A postal address is 1 to ${addressMax} characters, without control characters.`)
}
