/** Says in a corner that something is done, or that it was refused. */
import { notifications } from '@mantine/notifications'

export const tellDone = (message: string): void => {
  notifications.show({ message, color: 'teal' })
}

export const tellRefused = (message: string): void => {
  notifications.show({ message, color: 'red', autoClose: 10_000 })
}
