/**
 * Delivery status notifications (RFC 3464): a server's report of a mail's delivery. The report's
 * text never decides whose mail it was: the address that it came to does (verp.ts).
 */
import { bounceClassOf } from './classify-bounce.ts'

/** The report of one notice on the one recipient whose envelope it answers. */
export interface DsnRecipientStatus {
  /**
   * RFC 3464 2.3.3. `relayed` and `expanded` are one: the mail went on to a system that reports no
   * more.
   */
  action: 'failed' | 'delayed' | 'delivered' | 'relayed'
  /** Enhanced status code (RFC 3463), such as `5.1.1`. Null if there was none. */
  code: string | null
  /**
   * The text of the refusing server, or else a description of its status. Null if there is none.
   */
  detail: string | null
}

/** Groups of fields that are read of one notice; ours have one. */
const groupsMax = 100

/**
 * Reads the part `message/delivery-status`; null when it names no recipient with an action that we
 * know.
 */
export function readDeliveryStatus(text: string): DsnRecipientStatus | null {
  const statuses = groupsOf(text).flatMap((fields) => readRecipient(fields) ?? [])
  return statuses.toSorted((a, b) => mildness(a) - mildness(b))[0] ?? null
}

/**
 * A host may have forwarded one mail to several addresses (an alias, a list). A success for one of
 * them is a success for our recipient. Of several failures, one that does not report a dead address
 * counts first.
 */
function mildness({ action, code, detail }: DsnRecipientStatus): number {
  const rank = { delivered: 0, relayed: 1, delayed: 2, failed: 3 }[action]
  return rank + (bounceClassOf(code, detail ?? '') === 'hard' ? 0.5 : 0)
}

export type Fields = Map<string, string>

/**
 * RFC 3464 2.1: the first group is of the whole message, each other of one recipient; blank lines
 * are between them.
 */
function groupsOf(text: string): Fields[] {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n+/, groupsMax)
    .map(readDsnFields)
}

/** Fields by lower-case name, unfolded (RFC 5322 2.2.3); of a repeated one, the first. */
export function readDsnFields(group: string): Fields {
  const fields: Fields = new Map()
  let name: string | null = null
  for (const line of group.split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) {
      if (name !== null)
        fields.set(name, `${fields.get(name) ?? ''} ${line.trim()}`.slice(0, valueMax))
      continue
    }
    const at = line.indexOf(':')
    name = at > 0 ? line.slice(0, at).trim().toLowerCase() : null
    if (name === null || fields.has(name)) name = null
    else fields.set(name, line.slice(at + 1, at + 1 + valueMax).trim())
  }
  return fields
}

const valueMax = 4_000

function readRecipient(fields: Fields): DsnRecipientStatus | null {
  const action = actions[/^[a-z]+/i.exec(fields.get('action') ?? '')?.[0].toLowerCase() ?? '']
  if (action === undefined) return null
  const diagnostic = withoutType(fields.get('diagnostic-code') ?? '')
  return {
    action,
    code: chooseCode(fields.get('status') ?? '', diagnostic),
    detail: diagnostic || fields.get('status') || null,
  }
}

const actions: Record<string, DsnRecipientStatus['action']> = {
  failed: 'failed',
  // Two words of servers beside those of RFC 3464 2.3.3; OpenSMTPD wrote the second.
  failure: 'failed',
  error: 'failed',
  delayed: 'delayed',
  delivered: 'delivered',
  relayed: 'relayed',
  expanded: 'relayed',
}

/** `smtp; 550 …` and, of older servers, `X-Postfix; …` (RFC 3464 2.3.6). */
const withoutType = (value: string): string => value.replace(/^[\w-]+;\s*/, '').trim()

/**
 * A status that says no more than its class (`5.0.0`) gives way to the server's own, where that is
 * of the same class.
 */
function chooseCode(status: string, diagnostic: string): string | null {
  const reported = enhanced.exec(status)?.[0] ?? null
  const code = enhanced.exec(diagnostic)?.[0] ?? null
  if (reported === null) return code
  return code !== null && /^\d\.0\.0$/.test(reported) && code[0] === reported[0] ? code : reported
}

/** RFC 3463 2. */
const enhanced = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/
