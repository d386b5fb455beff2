/**
 * Reads the values of commands: each function validates one text, and says what form it expected.
 */
import { parseMailbox, type Mailbox } from '../../ground/address.ts'
import { readTypedDomain } from '../../ground/domain-name.ts'
import { settingLimits } from '../../contract/workspace/setting-limits.ts'
import { readAddressLines, readLine } from '../../contract/plain-text.ts'
import { didYouMean } from '../../ground/nearest.ts'
import { CommandRefusal } from './refusal.ts'

const nameMax = 120

/** A display name: 1 to 120 characters, none of them a control character. */
export function readNameFlag(text: string): string {
  const name = readLine(text, nameMax)
  if (name === null)
    throw new CommandRefusal(
      'usage',
      `A name is 1 to ${nameMax} characters, without control characters.`,
    )
  return name
}

export const readText = (text: string): string => text

/** One word of a few. */
export function readChoiceFlag<const Choice extends string>(
  choices: readonly Choice[],
): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text)
    if (choice !== undefined) return choice
    throw new CommandRefusal(
      'usage',
      `"${text}" is none of ${choices.join(', ')}${didYouMean(text, choices)}`,
    )
  }
}

export const readWhole = (min: number, max: number) =>
  readFigure('a whole number', /^\d+$/, { min, max })
export const readNumber = (min: number, max: number) =>
  readFigure('a number', /^\d+(\.\d+)?$/, { min, max })

function readFigure(
  kind: string,
  form: RegExp,
  { min, max }: { min: number; max: number },
): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (form.test(text) && number >= min && number <= max) return number
    throw new CommandRefusal('usage', `"${text}" is not ${kind} from ${min} to ${max}.`)
  }
}

/** Recipients a month; `none` is no limit. */
export function readMonthly(text: string): number | 'none' {
  if (text === 'none') return 'none'
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number
  throw new CommandRefusal(
    'usage',
    `"${text}" is neither a whole number of recipients a month nor none.`,
  )
}

/** A domain as A-label: `exämple.com` is `xn--exmple-cua.com`. */
export function readDomainFlag(text: string): string {
  const domain = readTypedDomain(text)
  if (typeof domain === 'string') return domain
  throw new CommandRefusal(
    'usage',
    `"${text}" is not a domain name such as mail.example.com (${domain.rule}).`,
  )
}

/** An address alone, without a name. */
export function readAddress(text: string): Mailbox {
  const mailbox = parseMailbox(text)
  if ('rule' in mailbox)
    throw new CommandRefusal(
      'usage',
      `"${text}" is not an address such as ada@example.com (${mailbox.rule}).`,
    )
  if (mailbox.name !== null)
    throw new CommandRefusal(
      'usage',
      `"${text}" is an address with a name: give ${mailbox.address} alone.`,
    )
  return mailbox
}

/** The same as a text. */
export const readAddressText = (text: string): string => readAddress(text).address

/** An address lower-cased, as it is compared; or `none`. */
export const readContact = (text: string): string =>
  text === 'none' ? text : readAddress(text).key

export function readSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new CommandRefusal('usage', `"${text}" is neither on nor off.`)
}

/** Lines of a postal address, divided by line feeds or `\\n`; empty for `none`. */
export function readPostalAddress(text: string): string {
  if (text === 'none') return ''
  const address = readAddressLines(text.replaceAll('\\n', '\n'))
  if (address !== null) return address
  throw new CommandRefusal(
    'usage',
    `A postal address is 1 to ${settingLimits.postalAddressMax} characters, without control characters.`,
  )
}
