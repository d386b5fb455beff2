/**
 * The HTTP client's connections: for calls that may go out plainly, for those that may not, and for
 * pages of the web.
 */
import { Agent } from 'undici'
import { checkingConnector, type CheckingOptions } from './checking-connector.ts'

export type Agents = ReturnType<typeof openAgents>

/** Connections to one origin. */
const connectionsMax = 128

export function openAgents(options: Pick<CheckingOptions, 'allowed' | 'resolve' | 'authorities'>) {
  const open = (plainHttp: boolean, webPortsOnly: boolean): Agent =>
    new Agent({
      connect: checkingConnector({ ...options, plainHttp, webPortsOnly }),
      connections: connectionsMax,
      allowH2: false,
      // Our own clock ends a call. An idle connection is closed before most servers would close it.
      ...{
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: 1_000,
        keepAliveMaxTimeout: 30_000,
      },
    })
  return {
    strict: open(false, false),
    /** For http to any public address. */
    plain: open(true, false),
    /** For http to any public address, at the ports of websites. */
    web: open(true, true),
  }
}
