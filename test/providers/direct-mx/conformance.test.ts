/** Our own delivery keeps a provider's promises. */
import { startMxWorld } from '../../support/mx-world.ts'
import { testProvider } from '../conformance.ts'

for (const [at, offers] of [
  ['PIPELINING', 'SIZE 0', '8BITMIME', 'SMTPUTF8'],
  ['8BITMIME'],
].entries()) {
  const world = await startMxWorld()
  let silentAtDot = 0
  let slowly = Promise.withResolvers<void>()
  const peer = await world.host('127.0.0.1', {
    offers,
    script: ({ phase, line }) => {
      if (phase === 'rcpt' && line.includes('hard@')) return '550 5.1.1 No such user'
      if (phase === 'dot' && line.includes('policy@')) return '554 5.7.1 Message looks like spam'
      if (phase === 'rcpt' && line.includes('deferred@')) return '451 4.3.0 Later'
      if (phase === 'dot' && line.includes('slow@'))
        return { say: '250 2.0.0 at last', after: slowly.promise }
      if (phase !== 'dot' || !line.includes('silent@')) return undefined
      silentAtDot++
      return 'hang'
    },
  })
  world.domain('example.test', ['127.0.0.1'])
  testProvider(`direct-mx, ${at === 0 ? '' : 'no '}PIPELINING`, () => {
    peer.mails.splice(0)
    silentAtDot = 0
    slowly = Promise.withResolvers()
    return Promise.resolve({
      provider: world.provider(),
      deliveredTo: (recipient) =>
        recipient.startsWith('silent@')
          ? silentAtDot
          : peer.mails.filter((mail) => mail.to.includes(recipient)).length,
      recipients: {
        accepted: 'accepted@example.test',
        hard: 'hard@example.test',
        policy: 'policy@example.test',
        deferred: 'deferred@example.test',
        slow: 'slow@example.test',
        silent: 'silent@example.test',
      },
      wakeSlow: () => slowly.resolve(),
      stop: () => Promise.resolve(),
    })
  })
}
