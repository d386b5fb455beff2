/** Changes of many contacts against crashes (semantics 2). */
import { contactsChanged } from './contacts-changed.ts'
import { testScenario } from './scenario.ts'

testScenario(contactsChanged)
