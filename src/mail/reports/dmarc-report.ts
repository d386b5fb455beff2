/**
 * Reads a DMARC aggregate report (RFC 9990, and RFC 7489 appendix C before it): who sent as a
 * domain, and what receivers saw.
 */
import { isIP } from 'node:net'
import { reportRecordsMax } from '../../contract/workspace/domain-reports.ts'
import { unpackedMax } from './unpack-report.ts'
import { scanXml } from './scan-xml.ts'

export interface DmarcReport {
  /** The reporter's own identifier. */
  reportId: string
  /** Seconds since 1970. */
  begins: number
  /** The domain whose DMARC record was found, in lower case. */
  policyDomain: string
  records: DmarcRecord[]
  /** Whether it has more records than these: they were not read. */
  isCut: boolean
}

export interface DmarcRecord {
  /** The address that the mail came from. */
  source: string
  messages: number
  disposition: 'none' | 'quarantine' | 'reject'
  /** Whether it passed in alignment with From. */
  dkim: boolean
  spf: boolean
  /** The domain in From, in lower case. */
  headerFrom: string
  /** Signatures that passed, whatever they are aligned with. */
  signatures: { domain: string; selector: string | null }[]
  /** The domain that SPF was asked for. */
  spfDomain: string | null
}

const signaturesMax = 10
const messagesMax = 1e12

/**
 * `domain`: that of the mail, for policies that name none. Throws when it is no report, or beyond
 * the limits of scan-xml.ts.
 */
export function readDmarcReport(unpacked: Buffer, domain = ''): DmarcReport {
  if (unpacked.length > unpackedMax) throw new Error(`more than ${unpackedMax} bytes`)
  const xml = documentOf(unpacked.toString('utf8'))
  if (xml.includes('\0')) throw new Error('U+0000: XML of another encoding than UTF-8')
  const meta = new Map<string, string>()
  const records: DmarcRecord[] = []
  let draft: Draft | null = null
  let isFeedback = false
  let elements = 0
  const isWhole = scanXml(xml, {
    open(path) {
      isFeedback ||= path === 'feedback'
      if (!isFeedback) throw new Error('no feedback')
      if (path === 'feedback/record') {
        draft = { fields: new Map(), signatures: [] }
        elements = 0
      }
      if (++elements > elementsMax) throw new Error('more elements than a record has')
      if (path === signaturePath) draft?.signatures.push(new Map())
    },
    close(path, text) {
      if (draft === null) {
        if (!meta.has(path)) meta.set(path, text)
      } else if (path === 'feedback/record') {
        records.push(...toRecord(draft, meta.get('feedback/policy_published/domain') ?? ''))
        draft = null
      } else if (path.startsWith(`${signaturePath}/`)) {
        draft.signatures.at(-1)?.set(path.slice(signaturePath.length + 1), text)
        if (draft.signatures.length > signaturesMax)
          throw new Error(`more than ${signaturesMax} signatures`)
      } else if (!draft.fields.has(path)) draft.fields.set(path, text)
    },
    isDone: () => records.length > reportRecordsMax,
  })
  return toReport(
    { meta, domain },
    records.slice(0, reportRecordsMax),
    !isWhole || records.length > reportRecordsMax,
  )
}

/**
 * The root. Reporters write white space, a byte order mark or its schema before it, and mail
 * programs a line of theirs behind it.
 */
function documentOf(text: string): string {
  const begin = Math.max(0, text.search(/<(?:[\w-]{1,20}:)?feedback\b/))
  if (/<!doctype/i.test(text.slice(0, begin))) throw new Error('a document type')
  const end = text.lastIndexOf('feedback>')
  return text.slice(begin, end < begin ? undefined : end + 'feedback>'.length)
}

/** Elements of a record, and of all that stands before the first one. */
const elementsMax = 300
const signaturePath = 'feedback/record/auth_results/dkim'

interface Draft {
  fields: Map<string, string>
  signatures: Map<string, string>[]
}

function toReport(
  { meta, domain }: { meta: Map<string, string>; domain: string },
  records: DmarcRecord[],
  isCut: boolean,
): DmarcReport {
  const policyDomain = readName(
    meta.get('feedback/policy_published/domain') || domain || records[0]?.headerFrom,
  )
  const begins = readSeconds(meta.get('feedback/report_metadata/date_range/begin'))
  const reportId = meta.get('feedback/report_metadata/report_id') ?? ''
  if (policyDomain === null || begins === null || reportId === '')
    throw new Error('a report without its domain, time or identifier')
  return { reportId: reportId.slice(0, 500), begins, policyDomain, records, isCut }
}

/** A record that says nothing of use is left out: without an address, or a count. */
function toRecord({ fields, signatures }: Draft, policyDomain: string): DmarcRecord[] {
  const field = (path: string): string => fields.get(`feedback/record/${path}`) ?? ''
  const evaluated = (name: string): string => field(`row/policy_evaluated/${name}`).toLowerCase()
  const source = field('row/source_ip')
  const messages = Number(field('row/count'))
  // `identities` is what drafts before RFC 7489 called it.
  const headerFrom = readName(
    field('identifiers/header_from') || field('identities/header_from') || policyDomain,
  )
  if (
    isIP(source) === 0 ||
    !Number.isInteger(messages) ||
    messages < 1 ||
    messages > messagesMax ||
    headerFrom === null
  )
    return []
  const disposition = evaluated('disposition')
  return [
    {
      ...{ source: source.toLowerCase(), messages, headerFrom },
      disposition: disposition === 'quarantine' || disposition === 'reject' ? disposition : 'none',
      dkim: evaluated('dkim') === 'pass',
      spf: evaluated('spf') === 'pass',
      signatures: signatures.flatMap((signature) => {
        const domain = readName(signature.get('domain'))
        if (domain === null || signature.get('result')?.toLowerCase() !== 'pass') return []
        return [{ domain, selector: readName(signature.get('selector')) }]
      }),
      spfDomain: readName(field('auth_results/spf/domain')),
    },
  ]
}

/** Seconds; some reporters write milliseconds, or a fraction. */
function readSeconds(text: string | undefined): number | null {
  const value = Number(text ?? Number.NaN)
  if (!Number.isFinite(value) || value <= 0) return null
  return Math.floor(value > 1e11 ? value / 1000 : value)
}

/** A name in DNS, as far as it can be stored and shown. Null if there is none. */
export function readName(text: string | undefined): string | null {
  const name = (text ?? '').toLowerCase().replace(/\.$/, '')
  return /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/.test(name) ? name : null
}
