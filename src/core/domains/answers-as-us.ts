/** Checks whether a service like ours answers at an address: its API map needs no key. */
import type { Outbound } from '../../ground/outbound/create-outbound.ts'

const withinMs = 10_000
const readMax = 16_384

export async function answersAsUs(outbound: Outbound, baseUrl: string): Promise<boolean> {
  const url = URL.parse(`${baseUrl}/api/v1`)
  if (!url) return false
  const answer = await outbound.send({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    withinMs,
    readMax,
    plainHttp: true,
  })
  return (
    answer.kind === 'answered' &&
    answer.status === 200 &&
    /"name":\s*"Facteur"/.test(answer.body.toString('utf8'))
  )
}
