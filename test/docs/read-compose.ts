/**
 * Reads the environment that compose gives the service, as compose reads it (Compose Specification:
 * Interpolation).
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { at } from '../support/json.ts'

/** It comes with the tools that check our OpenAPI description. */
const yaml: { parse(text: string): unknown } = createRequire(import.meta.url)('yaml')

const serviceOf = (): unknown =>
  at(yaml.parse(readFileSync('compose.yaml', 'utf8')), 'services', 'facteur')

/** The environment of the service `facteur`, with these variables in `.env` or the shell. */
export function readCompose(variables: Record<string, string>): Record<string, string> {
  const environment = at(serviceOf(), 'environment') as object
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      interpolate(String(value), variables),
    ]),
  )
}

/** How compose runs it, beside its environment. */
export function readComposeService(): {
  read_only?: boolean
  tmpfs: string[]
  cap_drop?: string[]
  security_opt?: string[]
  healthcheck?: { test: string[] }
} {
  const service = serviceOf() as Partial<ReturnType<typeof readComposeService>>
  return { ...service, tmpfs: service.tmpfs ?? [] }
}

/**
 * All of a file, as `docker compose config`, `down` and `logs` do before anything else. Throws for
 * `${NAME:?…}` of one that is not set.
 */
export const interpolateCompose = (variables: Record<string, string>): string =>
  interpolate(readFileSync('compose.yaml', 'utf8').replaceAll(/^\s*#.*$/gm, ''), variables)

/** From the innermost out: a default may hold another variable. */
function interpolate(template: string, variables: Record<string, string>): string {
  let text = template
  const inner = /\$\{([A-Za-z_]\w*)(?:(:?[-?+])([^${}]*))?\}/
  for (let match = inner.exec(text); match; match = inner.exec(text)) {
    const [whole, name = '', operator = '', rest = ''] = match
    const value = variables[name] ?? ''
    if (operator.endsWith('?') && value === '') throw new Error(`${name} ${rest}`)
    text = text.replace(whole, () => (value === '' && operator.endsWith('-') ? rest : value))
  }
  if (text.includes('${')) throw new Error(`not understood: ${text}`)
  return text
}
