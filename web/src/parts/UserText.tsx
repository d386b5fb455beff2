/**
 * Shows a user's text on two lines at most, whole on hover and for screen readers. Addresses do not
 * break inside words.
 */
import { Addressed } from './Addressed.tsx'
import classes from './UserText.module.css'

/**
 * `strong`: the subject of the row. `mono`: a machine's address, a key. `small`: a secondary text.
 */
export function UserText({
  children,
  variant,
}: {
  children: string
  variant?: 'strong' | 'mono' | 'small'
}) {
  return (
    <bdi className={classes.text} data-user-text data-look={variant} title={children}>
      <Addressed>{children}</Addressed>
    </bdi>
  )
}
