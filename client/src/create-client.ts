/** Makes a client: one method for each operation of the API, under the operation's name. */
import { call, type Sender, type SendOptions } from './call.ts'
import { routes, type Client } from './operations.ts'
import type { Route } from './route.ts'

export interface ClientOptions {
  /** Where the service is reached, such as `https://mail.example.com`. */
  baseUrl: string
  /** The type admits `process.env` as it is; without a key only `getApiMap` answers. */
  apiKey: string | undefined
  /** Language of the texts of refusals. Default: the service's own. */
  language?: 'fr' | 'en' | undefined
  /** Further attempts of a call where one can do nothing twice. Default 2; 0 is none. */
  retries?: number | undefined
  /** Default: the global one. */
  fetch?: typeof fetch | undefined
}

/**
 * Each method throws a `FacteurError` on a refusal, and what `fetch` throws when nothing answers.
 */
export function createClient(options: ClientOptions): Client {
  const sender: Sender = {
    fetch: options.fetch ?? ((...request) => fetch(...request)),
    retries: options.retries ?? 2,
  }
  const methods = Object.entries(routes).map(([name, route]) => [
    name,
    methodOf(route, options, sender),
  ])
  return typed(Object.fromEntries(methods))
}

type Method = (...args: unknown[]) => Promise<unknown>

/** Arguments: what the path names, then body or query, then options. */
function methodOf(route: Route, options: ClientOptions, sender: Sender): Method {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return (...args) => {
    const [content, own = {}] =
      route.gives === null ? [undefined, args[names.length]] : args.slice(names.length)
    const { idempotencyKey, ...callOptions }: SendOptions = own ?? {}
    const key = route.keyed ? (idempotencyKey ?? crypto.randomUUID()) : undefined
    const outgoing = {
      url:
        options.baseUrl.replace(/\/+$/, '') +
        pathOf(route, args) +
        (route.gives === 'query' ? queryOf(content) : ''),
      method: route.method,
      headers: headersOf(options, { hasBody: route.gives === 'body', key }),
      body: route.gives === 'body' ? JSON.stringify(content) : undefined,
      repeatable: route.method === 'GET' || key !== undefined,
    }
    return call(sender, outgoing, callOptions)
  }
}

/**
 * An argument that is missing would reach another path, and so would one that addresses fold away
 * (`.` and `..`): refused here.
 */
function pathOf({ path }: Route, args: unknown[]): string {
  let index = 0
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = args[index++]
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
      throw new TypeError(`\`${name}\` is missing`)
    return encodeURIComponent(value)
  })
}

function queryOf(query: unknown): string {
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    if (value != null) asked.set(name, String(value))
  return asked.size > 0 ? `?${asked.toString()}` : ''
}

const headersOf = (
  { apiKey, language }: ClientOptions,
  { hasBody, key }: { hasBody: boolean; key: string | undefined },
): Record<string, string> => ({
  ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  ...(language !== undefined && { 'accept-language': language }),
  ...(hasBody && { 'content-type': 'application/json' }),
  ...(key !== undefined && { 'idempotency-key': key }),
})

/**
 * The methods under their types: both are made from the same table, and the service holds its
 * answers to the same schemas.
 */
const typed = (methods: Record<string, Method>): Client => methods as unknown as Client
