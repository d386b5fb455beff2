/** The HTTP client's connections, for calls that may go out plainly and for those that may not. */
import { Agent } from 'undici'
import { judgingConnector } from './judging-connector.ts'
import type { JudgingOptions } from './judging-connector.ts'

export interface Agents {
  strict: Agent
  /** For http to any public address. */
  plain: Agent
}

/** Connections to one origin. */
const connectionsMax = 128

export function openAgents(options: Omit<JudgingOptions, 'plainHttp'>): Agents {
  const open = (plainHttp: boolean): Agent =>
    new Agent({
      connect: judgingConnector({ ...options, plainHttp }),
      connections: connectionsMax,
      allowH2: false,
      // Our own clock ends a call; a connection that rests is closed before most servers close it under us.
      ...{ headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 1_000, keepAliveMaxTimeout: 30_000 },
    })
  return { strict: open(false), plain: open(true) }
}
