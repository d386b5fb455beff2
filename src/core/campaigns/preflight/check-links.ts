/** Whether the links and images of a mail answer, as a reader's browser would find them. */
import type { Clock } from '../../../clock.ts'
import type { Outbound } from '../../../outbound/create-outbound.ts'
import { ok, problem, warning } from './finding.ts'
import type { Finding } from './finding.ts'

/** Asked at the same time; addresses asked at most; redirects followed, each judged like the first address. */
const together = 8
const askedMax = 200
const redirectsMax = 5
/** How long an answer is good for another check: strangers are not asked each time that somebody presses a button. */
const rememberedMs = { ok: 5 * 60_000, other: 60_000 }
const rememberedMax = 5_000

interface Remembered {
  finding: Finding
  untilMs: number
}

/** By address, of each client: what may be asked is the same for all that one asks. */
const answers = new WeakMap<Outbound, Map<string, Remembered>>()

export async function checkLinks(
  { outbound, signal, clock }: { outbound: Outbound; signal: AbortSignal; clock: Clock },
  { links, images }: { links: string[]; images: string[] },
): Promise<Finding[]> {
  // What a merge tag completes differs for each reader: there is no one address to ask.
  const isPersonal = (url: string): boolean => url.includes('{{')
  const asked = [...new Set([...links, ...images])].filter((url) => !isPersonal(url)).slice(0, askedMax)
  const personal = links.filter(isPersonal).length
  const findings = await inTurn(asked, (url) => recallLink({ outbound, signal, clock }, url))
  const wrong = findings.filter(({ status }) => status !== 'ok')
  return [
    ...(wrong.length > 0 ? wrong : [ok('links', asked.length === 0 ? 'no_links' : 'good', { asked: asked.length })]),
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
  // Of a check that was cut short nobody knows what the link would have answered.
  if (signal.aborted) return finding
  known.delete(url)
  known.set(url, { finding, untilMs: clock.monotonicMs() + rememberedMs[finding.status === 'ok' ? 'ok' : 'other'] })
  const [oldest] = known.keys()
  if (known.size > rememberedMax && oldest !== undefined) known.delete(oldest)
  return finding
}

async function checkLink(outbound: Outbound, link: string, signal: AbortSignal): Promise<Finding> {
  let url = URL.parse(link)
  for (let redirects = 0; url !== null && redirects <= redirectsMax; redirects++) {
    const answer = await outbound.ask(url, signal)
    if (answer.kind === 'refused') return warning('links', 'link_refused', { url: link, why: answer.reason })
    if (answer.kind === 'failed') return problem('links', 'link_failed', { url: link, why: answer.reason })
    const { status, location } = answer
    if (status < 300 || status === 304) return ok('links', 'good', { url: link })
    if (status >= 400 || location === null) return checkStatus(link, status)
    url = URL.parse(location, url.href)
  }
  return problem('links', url === null ? 'link_failed' : 'link_redirects_forever', { url: link, why: 'ERR_INVALID_URL' })
}

/** Gone is gone; anything else may be said to programs alone. */
function checkStatus(url: string, status: number): Finding {
  const gone = status === 404 || status === 410
  return gone ? problem('links', 'link_answers', { url, status }) : warning('links', 'link_answers', { url, status })
}

async function inTurn<In, Out>(all: In[], work: (one: In) => Promise<Out>): Promise<Out[]> {
  const done: Out[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      const one = all[index]
      if (one !== undefined) done[index] = await work(one)
    }
  }
  await Promise.all(Array.from({ length: together }, worker))
  return done
}
