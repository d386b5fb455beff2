/** A way to a test's database that can be cut. */
import { connect as dial, createServer, type AddressInfo, type Socket } from 'node:net'

interface Proxy {
  url: string
  /** Cuts all connections and takes none. */
  cut(): void
  mend(): void
}

/** The database by another address, which can be cut. */
export async function startProxy(
  scope: { after(end: () => Promise<unknown>): unknown },
  url: string,
): Promise<Proxy> {
  const target = new URL(url.replace('@/', '@localhost/'))
  const folder = target.searchParams.get('host')
  const port = Number(target.searchParams.get('port') ?? (target.port || 5432))
  let isCut = false
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy()
      return
    }
    const far = folder?.startsWith('/')
      ? dial(`${folder}/.s.PGSQL.${port}`)
      : dial(port, folder ?? target.hostname)
    for (const each of [socket, far]) {
      sockets.add(each)
      each
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(each)
          socket.destroy()
          far.destroy()
        })
    }
    socket.pipe(far).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `postgres://${target.username}:${target.password}@127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`,
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    mend: () => (isCut = false),
  }
}
