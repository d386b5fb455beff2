/**
 * Makes the folder that worlds copy their database from, in namespaces: `make-cluster.ts FOLDER`.
 */
import { makeCluster } from '../host-postgres.ts'
import { makeNetwork } from '../network.ts'

makeNetwork()
await makeCluster(process.argv[2] ?? '')
process.exit()
