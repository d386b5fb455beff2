/** The service as `npm start` runs it, against kill -9 (semantics 2). */
import { testScenario } from './scenario.ts'
import { serviceKilled } from './service-killed.ts'

testScenario(serviceKilled)
