/**
 * Prints a domain's DNS records in sentences: which to set, which were found, which are wrong and
 * their right values.
 */
import type { Domain, RecordProblem } from '../../../contract/workspace/domains.ts'
import { harmless } from '../terminal-text.ts'

type Records = Pick<Domain, 'records'>
type Shown = Domain['records'][number]

const purposes: Record<Shown['purpose'], string> = {
  dkim: 'DKIM',
  return_path: 'Return path',
  spf: 'SPF',
  dmarc: 'DMARC',
  tls_reports: 'TLS reports',
  tracking: 'Links',
}

/** The purpose of each record, once for all that are shown. */
const reasons: Record<Shown['purpose'], string> = {
  dkim: 'signs the mails',
  return_path: 'brings bounces back here',
  spf: 'says that mail from here is yours',
  dmarc: 'says what receivers do with mail that is not; large ones ask for it',
  tls_reports: 'brings reports on the encryption of returned mail here',
  tracking: 'lets links and opens go by your own name',
}

/** One paragraph for each record. */
export function printRecords({ records }: Records): string {
  if (records.length === 0)
    return 'It has no keys yet. Next: facteur domain add again, which makes them.'
  return records.map(describeRecord).join('\n\n')
}

/**
 * Warns that a command without the service's environment shows too few records, because missing
 * records are easily overlooked.
 */
export function printUnset({ records }: Records): string[] {
  const unset: Partial<Record<Shown['purpose'], string>> = {
    return_path:
      'No return path is shown: FACTEUR_INBOUND_DOMAIN, the domain that receives bounces, is not set for this command.',
    spf: 'No SPF is shown: FACTEUR_PROVIDER, FACTEUR_SOURCE_ADDRESS and FACTEUR_SPF do not say which addresses send mail.',
  }
  return Object.entries(unset).flatMap(([purpose, text]) =>
    records.some((record) => record.purpose === purpose) ? [] : [text],
  )
}

function describeRecord(record: Shown): string {
  const { purpose, type, name, status, problem, found: result } = record
  const title = `${titleOf(record)}: ${reasonOf(record)}`
  const lines = [`${(status ?? 'to set').padEnd(10)} ${title}`, `  ${type.padEnd(5)} ${name}`]
  // A found record is right, except DMARC, whose owner decides.
  if (status === 'found')
    return [
      ...lines,
      ...(purpose === 'dmarc' ? [`        ${inStrings(type, result[0] ?? '')}`] : []),
    ].join('\n')
  lines.push(...(result.length > 0 ? result.map((text) => `  there ${inStrings(type, text)}`) : []))
  lines.push(`  ${result.length > 0 ? 'right' : '     '} ${inStrings(type, record.value)}`)
  const sentence = problem === null ? null : problems[problem]
  return [...lines, ...(sentence === null ? [] : [`  ${sentence}`])].join('\n')
}

function titleOf({ purpose, key, required }: Shown): string {
  const kind = purpose === 'dkim' ? ` (${key?.algorithm === 'rsa-sha256' ? 'RSA' : 'Ed25519'})` : ''
  const until = key?.retire_at ? `, replaced: keep it until ${key.retire_at.slice(0, 10)}` : ''
  return `${purposes[purpose]}${kind}${required ? ', required' : ''}${until}`
}

/** The RSA key proves the domain; another only signs. */
const reasonOf = ({ purpose, required }: Shown): string =>
  reasons[purpose] + (purpose === 'dkim' && required ? ', and proves that the domain is yours' : '')

const problems: Record<RecordProblem, string> = {
  not_dkim: 'The present value is no DKIM key.',
  revoked: 'The key is empty, which says that it was revoked.',
  other_key: 'It is another key.',
  other_kind: 'It is a key of another kind (k=).',
  other_hash: 'It does not allow SHA-256 (h=).',
  other_service: 'It is not for mail (s=).',
  testing: 'It says that it is being tested (t=y): receivers may take the mail for unsigned.',
  several_records: 'There are several, and receivers then take none.',
  other_host: 'It leads elsewhere.',
  not_authorised: 'It does not let mail from here through.',
  unreadable: 'Receivers cannot make sense of it.',
  does_not_answer:
    'It leads here, and the service does not answer by that name: let the proxy and its certificate know it.',
  dns_failed: 'DNS did not answer: nothing is concluded. Ask again in a while.',
}

/**
 * Splits a TXT value into strings of at most 255 octets (RFC 1035 3.3.14). Most forms of DNS
 * providers accept both spellings.
 */
function inStrings(type: string, value: string): string {
  if (type !== 'TXT') return harmless(value)
  const strings = value.match(/[\s\S]{1,255}/g) ?? ['']
  return strings.map((part) => `"${harmless(part)}"`).join(' ')
}
