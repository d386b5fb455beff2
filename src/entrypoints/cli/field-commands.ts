/** `facteur field …`: the custom fields of a workspace and their types. */
import { derive } from './derive/derive-command.ts'
import { deriveList } from './derive/derive-list.ts'
import { shownNumber } from './result.ts'

const type = { places: { type: 'TYPE' } } as const

export const fieldCommands = [
  deriveList('listSubscriberFields', {
    name: 'field list',
    note: 'By key, each with its type.',
    examples: ['field list --workspace acme'],
    columns: [
      'key',
      'type',
      'label',
      { title: 'CHOICES', cell: ({ choices }) => choices.join(', ') },
      'created_at',
    ],
    empty: 'There is no field yet. Next: facteur field define --workspace W KEY',
  }),
  derive('defineSubscriberField', {
    name: 'field define',
    places: { key: 'KEY' },
    refusals: {
      field_exists: ({ key }) =>
        `The field ${String(key)} exists. Its type: facteur field type KEY TYPE`,
    },
    examples: [
      'field define --workspace acme birthday --type date',
      'field define --workspace acme size --type choice --choice S --choice M --choice L',
    ],
    key: 'id',
    say: ({ key, type: chosen }) => `${key} is a field: ${chosen}.`,
  }),
  derive('previewSubscriberFieldType', {
    ...type,
    name: 'field preview',
    examples: ['field preview --workspace acme birthday date'],
    say: ({ key, type: chosen, values, misfits, sample }) =>
      [
        `${shownNumber(values)} subscribers have a value in ${key}, and ${shownNumber(misfits)} of these values do not fit the type ${chosen}.`,
        ...sample.map(({ email, value }) => `  ${email}: ${JSON.stringify(value)}`),
      ].join('\n'),
  }),
  derive('changeSubscriberFieldType', {
    ...type,
    name: 'field type',
    note: 'No value is changed: those that do not fit count as empty where values are compared, and count again once the type is text. Show them first with "facteur field preview".',
    examples: [
      'field type --workspace acme birthday date',
      'field type --workspace acme size choice --choice S --choice M --choice L',
      'field type --workspace acme birthday text',
    ],
    key: 'id',
    say: ({ key, type: chosen }) => `The type of ${key} is ${chosen}.`,
  }),
]
