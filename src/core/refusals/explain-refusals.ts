/**
 * Explains refusals to the sender: whose rule it is, what it is about, and the record or step that
 * mends it, with the sender's own values where they are known. Every page and command takes its
 * sentences from here.
 */
import { isIPv4 } from 'node:net'
import type { RefusalExplained } from '../../contract/workspace/refusals.ts'
import type { Database } from '../../database/client/database.ts'
import { domainKeysOf } from '../../db/domains/domain-keys.ts'
import {
  domainRecordsOf,
  type DomainRecordRow,
  type RecordPurpose,
} from '../../db/domains/domain-records.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import {
  findRefusalCause,
  refusalCauseOf,
  refusedAddressIn,
} from '../../mail/reports/refusals/find-refusal-cause.ts'
import type { RefusalCause } from '../../mail/reports/refusals/refusal-cause.ts'
import { fill, texts, type Language } from '../../ground/texts/texts.ts'
import { reverseName } from '../../ground/dns/reverse-name.ts'
import type { Context } from '../context.ts'
import { expectedRecords, type ExpectedRecord } from '../domain-records/expected-records.ts'

export interface ExplainRefusals {
  /** Of a text as it came. Null if it names no cause. */
  ofText(text: string | null): RefusalExplained | null
  /** Of a counted cause. Null if a version that knew it has gone. */
  ofCause(cause: string, address: string | null): RefusalExplained | null
}

type Parts = Pick<Context, 'settings'> & { db: Database; language: Language }

/** Reads once what is known of the sender's domain. */
export async function openRefusals(
  ctx: Parts,
  { workspaceId, domain }: { workspaceId: number; domain: string },
): Promise<ExplainRefusals> {
  const known = (await domainsOf(ctx.db, workspaceId)).find(({ name }) => name === domain)
  const records = known
    ? expectedRecords(known, await domainKeysOf(ctx.db, workspaceId, domain), ctx.settings).filter(
        isCurrent,
      )
    : []
  const checkedRecords = known ? await domainRecordsOf(ctx.db, workspaceId, domain) : []
  const explain = (cause: RefusalCause, address: string | null): RefusalExplained =>
    explainCause(cause, {
      domain,
      address,
      records,
      checkedRecords,
      language: ctx.language,
      heloName: ctx.settings.heloName,
    })
  return {
    ofText(text) {
      const cause = text === null ? null : findRefusalCause(text)
      return cause === null || text === null ? null : explain(cause, refusedAddressIn(text))
    },
    ofCause(id, address) {
      const cause = refusalCauseOf(id)
      return cause && explain(cause, address)
    },
  }
}

/** Of the keys, the one that every receiver reads. */
const isCurrent = ({ purpose, required }: ExpectedRecord): boolean => purpose !== 'dkim' || required

interface Sender {
  domain: string
  /** The sending address that the refusal is about. */
  address: string | null
  records: ExpectedRecord[]
  checkedRecords: DomainRecordRow[]
  language: Language
  heloName: string | null
}

function explainCause(cause: RefusalCause, sender: Sender): RefusalExplained {
  const { provider, requirement, link, source } = cause
  const words = texts[sender.language].refusals
  const values = {
    provider: provider ?? words.server,
    domain: sender.domain,
    ip: sender.address ?? words.address,
  }
  const { records, areFound } = recordsFor(requirement, sender)
  const next = areFound
    ? words.found
    : records.length === 0 && purposesOf[requirement] !== undefined
      ? words.ofRelay
      : words.next[requirement]
  return {
    ...{ cause: cause.id, provider, requirement },
    what: capitalized(fill(words.what[requirement], values)),
    next: capitalized(
      fill(next, { ...values, provider: lowercasedServer(values.provider, words.server) }),
    ),
    records,
    link: linkOf(link, sender),
    source,
  }
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Within a sentence, our own word for a server has no capital. */
const lowercasedServer = (provider: string, server: string): string =>
  provider === server ? server.charAt(0).toLowerCase() + server.slice(1) : provider

/** A form for an address or a domain that the refusal does not name is of no use without it. */
function linkOf(link: string | undefined, { address, domain }: Sender): string | null {
  if (link === undefined) return null
  if (link.includes('{ip}') && address === null) return new URL(link.replace('{ip}', '')).origin
  return link
    .replace('{ip}', encodeURIComponent(address ?? ''))
    .replace('{domain}', encodeURIComponent(domain))
}

type Remedy = RefusalCause['requirement']

/** The records of the domain by which a requirement is met. */
const purposesOf: Partial<Record<Remedy, readonly RecordPurpose[]>> = {
  spf: ['spf', 'return_path'],
  dkim: ['dkim'],
  alignment: ['dkim'],
  dmarc: ['dmarc'],
}

function recordsFor(
  requirement: Remedy,
  sender: Sender,
): { records: RefusalExplained['records']; areFound: boolean } {
  if (requirement === 'reverse_dns') return { records: reverseRecords(sender), areFound: false }
  const purposes = purposesOf[requirement] ?? []
  const records = sender.records.filter(({ purpose }) => purposes.includes(purpose))
  const result = records.map((record) =>
    sender.checkedRecords.find(({ name, type }) => name === record.name && type === record.type),
  )
  return {
    records: records.map(({ type, name, value }, at) => ({
      type,
      name,
      value: result[at]?.expected ?? value,
    })),
    areFound: records.length > 0 && result.every((row) => row?.status === 'found'),
  }
}

/**
 * Forward-confirmed reverse DNS (RFC 8601 3): both records, where the address and our name in EHLO
 * are known.
 */
function reverseRecords({ address, heloName }: Sender): RefusalExplained['records'] {
  if (address === null || heloName === null) return []
  return [
    { type: 'PTR', name: reverseName(address), value: heloName },
    { type: isIPv4(address) ? 'A' : 'AAAA', name: heloName, value: address },
  ]
}
