/**
 * Says who may read the operator's pages: where the base URL is public, they open to the token
 * alone.
 */
import { leadsHere } from '../../../ground/is-loopback.ts'
import type { Config } from '../../../ground/config.ts'
import { passed, warned, type Check } from './check.ts'

/** Null where the base URL leads to this machine: then its users may read them. */
export function checkOperatorPages({
  baseUrl,
  operatorToken,
}: Pick<Config, 'baseUrl' | 'operatorToken'>): Check | null {
  if (leadsHere(baseUrl)) return null
  if (operatorToken !== null)
    return passed('operator pages', '/captured and /metrics open to FACTEUR_OPERATOR_TOKEN alone')
  return warned(
    'operator pages',
    'nobody can read /captured and /metrics: the base URL is public, and no token is set',
    'Set FACTEUR_OPERATOR_TOKEN, and give it to your monitoring as a bearer token.',
  )
}
