/**
 * Which DMARC policy a From domain has, and what its identifiers are compared by (RFC 9989).
 *
 * 1. the record of the domain itself, else that of its Organizational Domain, else that of the
 *    public suffix above (4.10.1)
 * 2. the Organizational Domain comes out of the records on the way up to the root, eight questions
 *    at most (4.10, 4.10.2)
 * 3. of a domain above, `sp` is meant for subdomains that are there and `np` for those that are not
 *    (4.10.1)
 */
import type { LookupFailure, Resolver } from './lookup.ts'
import { readTagList } from './read-tags.ts'

export type DmarcPolicy = 'none' | 'quarantine' | 'reject'

/** `relaxed`: the Organizational Domains must be the same. `strict`: the names. */
export type Alignment = 'relaxed' | 'strict'

export type Dmarc =
  | {
      kind: 'found'
      /** Where the record is: the domain, or one above it. */
      at: string
      text: string
      /** The owner's request for mail of this very domain that fails. */
      policy: DmarcPolicy
      dkim: Alignment
      spf: Alignment
      organizational: string
    }
  /** DMARC does not apply. */
  | { kind: 'none' }
  /** There is a record that does not count: several, or without a policy that can be read. */
  | { kind: 'broken'; at: string; texts: string[] }
  | { kind: 'failed'; why: LookupFailure }

type Ask = Pick<Resolver, 'resolve'>

export async function findDmarc(ask: Ask, domain: string): Promise<Dmarc> {
  const walk = await walkTree(ask, domain)
  if ('why' in walk) return { kind: 'failed', why: walk.why }
  const organizational = organizationalOf(walk, domain)
  const own = walk.records.find(({ at }) => at === domain)
  const above =
    walk.records.find(({ at }) => at === organizational) ??
    walk.records.findLast(({ tags }) => tags.get('psd') === 'y')
  const record = own ?? above
  if (!record)
    return walk.discarded.length > 0
      ? { kind: 'broken', at: domain, texts: walk.discarded }
      : { kind: 'none' }
  const policy = await policyFor(ask, domain, record)
  if (policy === null) return { kind: 'broken', at: record.at, texts: [record.text] }
  if (typeof policy === 'object') return { kind: 'failed', why: policy.why }
  return {
    ...{ kind: 'found', at: record.at, text: record.text, policy, organizational },
    dkim: record.tags.get('adkim') === 's' ? 'strict' : 'relaxed',
    spf: record.tags.get('aspf') === 's' ? 'strict' : 'relaxed',
  }
}

/**
 * Whether an identifier that passed speaks for the From domain (4.4.1, 4.4.2). Null if DNS did not
 * say.
 */
export async function isAligned(
  ask: Ask,
  {
    identifier,
    domain,
    mode,
    organizational,
  }: { identifier: string; domain: string; mode: Alignment; organizational: string },
): Promise<boolean | null> {
  if (identifier === domain) return true
  if (mode === 'strict') return false
  const walk = await walkTree(ask, identifier)
  return 'why' in walk ? null : organizationalOf(walk, identifier) === organizational
}

interface PolicyRecord {
  at: string
  text: string
  tags: Map<string, string>
}

interface TreeWalk {
  /** Valid records, from the domain upwards. */
  records: PolicyRecord[]
  /** Records at the domain itself that were discarded. */
  discarded: string[]
}

async function walkTree(ask: Ask, domain: string): Promise<TreeWalk | { why: LookupFailure }> {
  const walk: TreeWalk = { records: [], discarded: [] }
  for (const at of targetsOf(domain)) {
    const lookup = await ask.resolve(`_dmarc.${at}`, 'TXT')
    if (lookup.kind === 'failed') return { why: lookup.why }
    if (lookup.kind !== 'found') continue
    const records = lookup.records.filter(isDmarc)
    const [text] = records
    if (records.length > 1 && at === domain) walk.discarded = records
    if (text === undefined || records.length > 1) continue
    const tags = readTagList(text)
    walk.records.push({ at, text, tags })
    if (/^[ny]$/.test(tags.get('psd') ?? '')) break
  }
  return walk
}

/**
 * 4.10: the name itself; then, without its first label or cut to seven, one label less each time.
 */
function targetsOf(domain: string): string[] {
  const labels = domain.split('.')
  const above = labels.slice(labels.length < 8 ? 1 : labels.length - 7)
  return [domain, ...above.map((_, index) => above.slice(index).join('.'))]
}

/** 4.10.2: from the longest name to the shortest. */
function organizationalOf({ records: result }: TreeWalk, domain: string): string {
  for (const { at, tags } of result) {
    if (tags.get('psd') === 'n') return at
    if (tags.get('psd') === 'y' && at !== domain) return oneBelow(at, domain)
  }
  return result.at(-1)?.at ?? domain
}

const oneBelow = (suffix: string, domain: string): string =>
  domain
    .split('.')
    .slice(-(suffix.split('.').length + 1))
    .join('.')

/** The version stands first and exactly so (4.7). */
const isDmarc = (text: string): boolean => /^v\s*=\s*DMARC1\s*(?:;|$)/.test(text)

/** 4.10.1. Null means no DMARC processing. */
async function policyFor(
  ask: Ask,
  domain: string,
  { at, tags }: PolicyRecord,
): Promise<DmarcPolicy | null | { why: LookupFailure }> {
  const [p, sp, np] = ['p', 'sp', 'np'].map((name) => tags.get(name)?.toLowerCase())
  const invalid =
    !isPolicy(p) || (sp !== undefined && !isPolicy(sp)) || (np !== undefined && !isPolicy(np))
  if (invalid) return /^\s*mailto:\S+@\S+/i.test(tags.get('rua') ?? '') ? 'none' : null
  if (at === domain) return p
  const there = np === undefined ? true : await exists(ask, domain)
  if (typeof there === 'object') return there
  return (there ? sp : np) ?? p
}

const isPolicy = (word: string | undefined): word is DmarcPolicy =>
  word === 'none' || word === 'quarantine' || word === 'reject'

/** 3.2.15: a name that is not there is one that DNS says is unknown. */
async function exists(ask: Ask, domain: string): Promise<boolean | { why: LookupFailure }> {
  const lookup = await ask.resolve(domain, 'A')
  return lookup.kind === 'failed' ? { why: lookup.why } : lookup.kind !== 'unknown'
}
