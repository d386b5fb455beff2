/**
 * Single sends make no contact a subscriber, and no campaign reaches their recipients (spec: Where
 * API-sent e-mails live).
 */
import { at } from '../support/json.ts'
import { acceptedId, call, describeEnd } from '../support/fault-calls.ts'
import { mailTo, openWorld } from '../support/fault-world.ts'
import { restartPort } from '../support/fault-port.ts'
import type { Scenario } from './scenario.ts'

const sends = 1_000
const clients = 16

export const subscribersUnchanged: Scenario = {
  name: 'subscribers-unchanged',
  promise: '1,000 API sends leave me.subscribers and the audience of a campaign as they were',
  broken: [],
  async play(run) {
    const world = await openWorld(run)
    const port = await restartPort()
    await world.start({ role: 'all', port, smtpUrl: null })
    const known = run.draw.between(1, 9)
    const ask = (line: string, body?: unknown) =>
      call({ url: world.addressOf(port), apiKey: world.apiKey, line, body })
    const wrong: string[] = []
    for (let number = 0; number < known; number++) {
      await ask('POST /api/v1/subscribers', { email: subscriber(number), double_opt_in: false })
    }
    let next = 0
    const client = async (): Promise<void> => {
      while (next < sends) {
        // One in ten goes to a subscriber.
        const number = next++
        const end = await ask(
          'POST /api/v1/emails',
          mailTo(
            world,
            number % 10 === 0 ? subscriber(number % known) : `mail-${number}@example.test`,
          ),
        )
        if (acceptedId(end) === null) wrong.push(`a send ended with ${describeEnd(end)}`)
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    const me = await ask('GET /api/v1/me')
    const count = typeof me === 'string' ? me : at(me.body, 'subscribers')
    const draft = await ask('POST /api/v1/campaigns', {
      name: 'News',
      subject: 'News',
      text: 'News',
    })
    const id = typeof draft === 'string' ? draft : at(draft.body, 'id')
    const sent = await ask(`POST /api/v1/campaigns/${String(id)}/send`)
    const queued = typeof sent === 'string' ? sent : at(sent.body, 'queued')
    return [
      ...wrong,
      ...(count === known ? [] : [`me.subscribers is ${String(count)}, and was ${known}`]),
      ...(queued === known ? [] : [`A campaign reaches ${String(queued)}, and had ${known}`]),
    ]
  },
}

const subscriber = (number: number): string => `subscriber-${number}@example.test`
