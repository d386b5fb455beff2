/** POST /domains: adds a sending domain, and lists the DNS records that prove it. */
import { shapeError } from '../input/validate-shape.ts'
import { domainBody } from './domain-body.ts'
import { checkHosts } from './check-hosts.ts'
import { openDomain } from './open-domain.ts'
import { mustBeDomain } from './read-domain-name.ts'
import type { Verb } from '../verb.ts'

/** Throws `validation_error`. */
export const addDomain: Verb<'addDomain'> = async (ctx, { body }) => {
  const name = mustBeDomain(body.name, 'name')
  const hosts = {
    returnPathHost: hostOf(body.return_path_host, 'return_path_host'),
    trackingHost: hostOf(body.tracking_host, 'tracking_host'),
  }
  const problem = checkHosts(name, hosts)
  if (problem)
    throw shapeError([
      { path: problem.host === hosts.returnPathHost ? 'return_path_host' : pathOf(problem.rule), rule: problem.rule },
    ])
  return { body: domainBody(await openDomain(ctx, { workspaceId: ctx.workspaceId, name, ...hosts })) }
}

const pathOf = (rule: string): string => (rule === 'domain_too_long' ? 'name' : 'tracking_host')

const hostOf = (text: string | null | undefined, path: string): string | null =>
  text === null || text === undefined || text.trim() === '' ? null : mustBeDomain(text, path)
