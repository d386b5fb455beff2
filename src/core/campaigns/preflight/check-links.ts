/** Checks whether the links and images of a mail respond as they would to a reader's browser. */
import type { Clock } from '../../../ground/clock.ts'
import type { Outbound } from '../../../ground/outbound/create-outbound.ts'
import { setLast } from '../../../ground/set-last.ts'
import { ok, problem, warning, type Finding } from './finding.ts'

/**
 * Concurrent requests, the maximum of addresses, and the maximum of redirects; each redirect is
 * checked like the first address.
 */
const together = 8
const askedMax = 200
const redirectsMax = 5
/**
 * How long a result is reused, in milliseconds: other sites are not asked each time that a user
 * presses the button.
 */
const rememberedMs = { ok: 5 * 60_000, other: 60_000 }
const rememberedMax = 5_000

interface Remembered {
  finding: Finding
  untilMs: number
}

/** Results by address, for each outbound client: it decides which addresses may be called. */
const answers = new WeakMap<Outbound, Map<string, Remembered>>()

export async function checkLinks(
  { outbound, signal, clock }: { outbound: Outbound; signal: AbortSignal; clock: Clock },
  { links, images }: { links: string[]; images: string[] },
): Promise<Finding[]> {
  // A link with a merge tag differs for each reader, so there is no single address to check.
  const isPersonal = (url: string): boolean => url.includes('{{')
  const requested = [...new Set([...links, ...images])]
    .filter((url) => !isPersonal(url))
    .slice(0, askedMax)
  const personal = links.filter(isPersonal).length
  const findings = await inTurn(requested, (url) => recallLink({ outbound, signal, clock }, url))
  const wrong = findings.filter(({ status }) => status !== 'ok')
  return [
    ...(wrong.length > 0
      ? wrong
      : [ok('links', requested.length === 0 ? 'no_links' : 'good', { asked: requested.length })]),
    ...(personal > 0 ? [ok('links', 'links_personal', { links: personal })] : []),
  ]
}

async function recallLink(
  { outbound, signal, clock }: { outbound: Outbound; signal: AbortSignal; clock: Clock },
  url: string,
): Promise<Finding> {
  const known = answers.get(outbound) ?? new Map<string, Remembered>()
  answers.set(outbound, known)
  const remembered = known.get(url)
  if (remembered && remembered.untilMs > clock.monotonicMs()) return remembered.finding
  const finding = await checkLink(outbound, url, signal)
  // The check was cut short, so the link's result is unknown.
  if (signal.aborted) return finding
  const untilMs = clock.monotonicMs() + rememberedMs[finding.status === 'ok' ? 'ok' : 'other']
  setLast(known, url, { finding, untilMs }, rememberedMax)
  return finding
}

async function checkLink(outbound: Outbound, link: string, signal: AbortSignal): Promise<Finding> {
  let url = URL.parse(link)
  for (let redirects = 0; url !== null && redirects <= redirectsMax; redirects++) {
    const answer = await outbound.ask(url, signal)
    if (answer.kind === 'refused')
      return warning('links', 'link_refused', { url: link, why: answer.reason })
    if (answer.kind === 'failed')
      return problem('links', 'link_failed', { url: link, why: answer.reason })
    const { status, location } = answer
    if (status < 300 || status === 304) return ok('links', 'good', { url: link })
    if (status >= 400 || location === null) return checkStatus(link, status)
    url = URL.parse(location, url.href)
  }
  return problem('links', url === null ? 'link_failed' : 'link_redirects_forever', {
    url: link,
    why: 'ERR_INVALID_URL',
  })
}

/** 404 and 410 mean that it is gone; other errors may concern programs only. */
function checkStatus(url: string, status: number): Finding {
  const gone = status === 404 || status === 410
  return gone
    ? problem('links', 'link_answers', { url, status })
    : warning('links', 'link_answers', { url, status })
}

async function inTurn<In, Out>(all: In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const done: Out[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      const item = all[index]
      if (item !== undefined) done[index] = await work(item)
    }
  }
  await Promise.all(Array.from({ length: together }, worker))
  return done
}
