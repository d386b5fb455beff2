/** `facteur topic …`: what contacts may leave without leaving everything. */
import { derive } from './derive/derive-command.ts'
import { deriveList } from './derive/derive-list.ts'

const exampleId = '0193d1a2-…'
const refusals = {
  topic_exists: ({ name }: Record<string, unknown>) =>
    `A topic is called ${JSON.stringify(name)} already: contacts could not tell the two apart.`,
  topic_in_use: ({ name }: Record<string, unknown>) =>
    `A draft, a campaign not yet sent or a form is for ${JSON.stringify(name)}: change that first.`,
}

export const topicCommands = [
  derive('createTopic', {
    name: 'topic create',
    places: { name: 'NAME' },
    refusals,
    examples: [
      'topic create --workspace acme "Product news" --description "Once a month."',
      'topic create --workspace acme Events --default-subscription opt_out',
    ],
    key: 'id',
    say: ({ name }) => `${JSON.stringify(name)} is on the page of each contact.`,
  }),
  deriveList('listTopics', {
    name: 'topic list',
    note: 'In the order in which they were made.',
    examples: ['topic list --workspace acme'],
    columns: ['id', 'name', 'default_subscription', 'description', 'created_at'],
    empty: 'There is no topic yet. Next: facteur topic create --workspace W NAME',
  }),
  derive('updateTopic', {
    name: 'topic set',
    places: { id: 'TOPIC' },
    refusals,
    note: 'What contacts chose stays.',
    examples: [`topic set --workspace acme ${exampleId} --name News`],
    key: 'id',
    say: ({ name }) => `The topic is called ${JSON.stringify(name)}.`,
  }),
  derive('deleteTopic', {
    name: 'topic delete',
    places: { id: 'TOPIC' },
    refusals,
    examples: [`topic delete --workspace acme ${exampleId}`],
    key: 'id',
    say: ({ name }) => `The topic ${JSON.stringify(name)} is deleted.`,
  }),
]
