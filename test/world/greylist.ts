/**
 * A greylist in front of Postfix (its policy delegation protocol): who comes for the first time is
 * sent away for a second.
 */
import { createServer, type AddressInfo } from 'node:net'

const graceMs = 1_000

/**
 * Answers its port of 127.0.0.1. A retry with another sender counts as a new one, as for every
 * greylist.
 */
export async function startGreylist(scope: { after(end: () => void): void }): Promise<number> {
  const firstSeen = new Map<string, number>()
  const server = createServer((socket) => {
    let buffered = ''
    socket.on('error', () => undefined)
    socket.setEncoding('utf8').on('data', (text) => {
      buffered += text
      for (let end = buffered.indexOf('\n\n'); end >= 0; end = buffered.indexOf('\n\n')) {
        const requested = new URLSearchParams(
          buffered
            .slice(0, end)
            .replaceAll('&', '%26')
            .replaceAll('\n', '&')
            .replaceAll('+', '%2B'),
        )
        buffered = buffered.slice(end + 2)
        const key = ['client_address', 'sender', 'recipient']
          .map((name) => requested.get(name))
          .join(' ')
        const since = firstSeen.get(key) ?? Date.now()
        firstSeen.set(key, since)
        socket.write(
          `action=${Date.now() - since < graceMs ? 'DEFER 4.7.1 Greylisted, come again' : 'DUNNO'}\n\n`,
        )
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(() => void server.close())
  return (server.address() as AddressInfo).port
}
